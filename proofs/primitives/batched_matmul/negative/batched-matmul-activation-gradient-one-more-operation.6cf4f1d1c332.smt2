; law batched_matmul (activation_gradient, one more operation) of rule primitives.batched_matmul
; a formula of batched_matmul with one operation more
; a false variant: satisfiable
; v0 is kk: columns of the right matrix
; v1 is m: rows of the left matrix; elements of a parameter shard
; v2 is n: columns of the left matrix, summed over; branches of a fork
; v3 is z: matrices in a batch
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (= (* 4 v0 v1 v2 v3) (+ (* 4 v0 v1 v2 v3) 1))))
(check-sat)
