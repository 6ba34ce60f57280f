; law gelu (activation_gradient, one more operation) of rule primitives.gelu
; a formula of gelu with one operation more
; a false variant: satisfiable
; v0 is E: elements of an elementwise operand or of a full tensor in a collective
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (not (= (* 13 v0) (+ (* 13 v0) 1))))
(check-sat)
