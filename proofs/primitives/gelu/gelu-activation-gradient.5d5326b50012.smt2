; law gelu (activation_gradient) of rule primitives.gelu
; the formula of gelu is what the derivation computes
; true for all parameters: unsatisfiable
; v0 is E: elements of an elementwise operand or of a full tensor in a collective
; v1 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (and (= (* 13 v0) (* 13 v0)) (= (* 2 v0 v1) (* 2 v0 v1)) (= (* v0 v1) (* v0 v1)) (= 0 0))))
(check-sat)
