; law all_reduce (synchronization) of rule primitives.all_reduce
; the formula of all_reduce is what the derivation computes
; true for all parameters: unsatisfiable
; v0 is E_t: elements of one rank's shard of a full tensor, E = t E_t
; v1 is t: tensor-parallel degree
; v2 is E: elements of an elementwise operand or of a full tensor in a collective
; v3 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (and (= (+ (* (- 1) v0) (* v0 v1)) (+ (* (- 1) v0) (* v0 v1))) (= (* v2 v3) (* v2 v3)) (= (* v2 v3) (* v2 v3)) (= (* v2 v3) (* v2 v3)))))
(check-sat)
