; law all_reduce (synchronization, one more operation) of rule primitives.all_reduce
; a formula of all_reduce with one operation more
; a false variant: satisfiable
; v0 is E_t: elements of one rank's shard of a full tensor, E = t E_t
; v1 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (= (+ (* (- 1) v0) (* v0 v1)) (+ (* (- 1) v0) (* v0 v1) 1))))
(check-sat)
