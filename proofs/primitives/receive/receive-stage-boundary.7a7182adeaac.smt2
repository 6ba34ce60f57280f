; law receive (stage_boundary) of rule primitives.receive
; the formula of receive is what the derivation computes
; true for all parameters: unsatisfiable
; v0 is E: elements of an elementwise operand or of a full tensor in a collective
; v1 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (and (= 0 0) (= 0 0) (= (* v0 v1) (* v0 v1)) (= (* v0 v1) (* v0 v1)))))
(check-sat)
