; law all_gather (synchronization) of rule primitives.all_gather
; the formula of all_gather is what the derivation computes
; true for all parameters: unsatisfiable
; v0 is E_t: elements of one rank's shard of a full tensor, E = t E_t
; v1 is e: width of one element
; v2 is E: elements of an elementwise operand or of a full tensor in a collective
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (not (and (= 0 0) (= (* v0 v1) (* v0 v1)) (= (* v2 v1) (* v2 v1)) (= (* v2 v1) (* v2 v1)))))
(check-sat)
