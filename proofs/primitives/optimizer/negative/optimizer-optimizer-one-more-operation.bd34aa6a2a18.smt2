; law optimizer (optimizer, one more operation) of rule primitives.optimizer
; a formula of optimizer with one operation more
; a false variant: satisfiable
; v0 is m: rows of the left matrix; elements of a parameter shard
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (not (= (* 11 v0) (+ (* 11 v0) 1))))
(check-sat)
