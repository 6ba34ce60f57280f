; law linear (activation_gradient, one more operation) of rule primitives.linear
; a formula of linear with one operation more
; a false variant: satisfiable
; v0 is kk: columns of the right matrix
; v1 is m: rows of the left matrix; elements of a parameter shard
; v2 is n: columns of the left matrix, summed over; branches of a fork
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (not (= (* 2 v0 v1 v2) (+ (* 2 v0 v1 v2) 1))))
(check-sat)
