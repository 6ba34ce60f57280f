; law linear (weight_gradient) of rule primitives.linear
; the formula of linear is what the derivation computes
; true for all parameters: unsatisfiable
; v0 is kk: columns of the right matrix
; v1 is m: rows of the left matrix; elements of a parameter shard
; v2 is n: columns of the left matrix, summed over; branches of a fork
; v3 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (and (= (* 2 v0 v1 v2) (* 2 v0 v1 v2)) (= (+ (* v3 v0 v1) (* v3 v1 v2)) (+ (* v3 v0 v1) (* v3 v1 v2))) (= (* v3 v0 v2) (* v3 v0 v2)) (= 0 0))))
(check-sat)
