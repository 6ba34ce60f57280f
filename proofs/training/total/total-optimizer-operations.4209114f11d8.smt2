; law total-optimizer (operations) of rule training.total
; all optimizer tasks together do the closed total
; true for all parameters: unsatisfiable
; v0 is n_D: largest share of a rank's parameters over the data-parallel group
; v1 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (= (* 11 v0 v1) (* 11 v0 v1))))
(check-sat)
