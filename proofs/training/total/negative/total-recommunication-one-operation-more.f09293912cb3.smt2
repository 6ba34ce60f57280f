; law total-recommunication (one operation more) of rule training.total
; all recommunication tasks together do the closed total
; a false variant: satisfiable
; v0 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (not (= (+ (* 0 v0) (* 0 v0)) 1)))
(check-sat)
