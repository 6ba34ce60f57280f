; law layer_norm (activation_gradient) of rule primitives.layer_norm
; the formula of layer_norm is what the derivation computes
; true for all parameters: unsatisfiable
; v0 is E: elements of an elementwise operand or of a full tensor in a collective
; v1 is e: width of one element
; v2 is w: width of a normalised row
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (not (and (= (* 14 v0) (* 14 v0)) (= (+ (* 2 v0 v1) (* 2 v1 v2)) (+ (* 2 v0 v1) (* 2 v1 v2))) (= (* v0 v1) (* v0 v1)) (= 0 0))))
(check-sat)
