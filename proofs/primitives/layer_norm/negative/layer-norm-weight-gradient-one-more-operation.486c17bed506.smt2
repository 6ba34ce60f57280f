; law layer_norm (weight_gradient, one more operation) of rule primitives.layer_norm
; a formula of layer_norm with one operation more
; a false variant: satisfiable
; v0 is E: elements of an elementwise operand or of a full tensor in a collective
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (not (= (* 7 v0) (+ (* 7 v0) 1))))
(check-sat)
