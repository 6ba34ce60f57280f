; law total-optimizer (bytes written) of rule training.total
; all optimizer tasks together do the closed total
; true for all parameters: unsatisfiable
; v0 is n_D: largest share of a rank's parameters over the data-parallel group
; v1 is e: width of one element
; v2 is t: tensor-parallel degree
; v3 is o: optimizer state of one parameter: fp32 master copy and two moments
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (= (+ (* v0 v1 v2) (* v0 v3 v2)) (+ (* v0 v2 v1) (* v0 v2 v3)))))
(check-sat)
