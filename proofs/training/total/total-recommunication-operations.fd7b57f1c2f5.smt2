; law total-recommunication (operations) of rule training.total
; all recommunication tasks together do the closed total
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (not (= (+ (* 0 v0) (* 0 v0)) 0)))
(check-sat)
