; law total-optimizer (operations) of rule training.total
; all optimizer tasks together do the closed total
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is n_D: largest share of a rank's parameters over the data-parallel group
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (= v0 1) :named h0))
(assert (not (= (* 11 v1 v0) (* 11 v1 v0))))
(check-sat)
