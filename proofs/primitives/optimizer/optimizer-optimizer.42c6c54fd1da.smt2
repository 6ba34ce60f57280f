; law optimizer (optimizer) of rule primitives.optimizer
; the formula of optimizer is what the derivation computes
; true for all parameters: unsatisfiable
; v0 is m: rows of the left matrix; elements of a parameter shard
; v1 is g: width of one gradient element
; v2 is o: optimizer state of one parameter: fp32 master copy and two moments
; v3 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (and (= (* 11 v0) (* 11 v0)) (= (+ (* v0 v1) (* v0 v2)) (+ (* v0 v1) (* v0 v2))) (= (+ (* v0 v3) (* v0 v2)) (+ (* v0 v3) (* v0 v2))) (= 0 0))))
(check-sat)
