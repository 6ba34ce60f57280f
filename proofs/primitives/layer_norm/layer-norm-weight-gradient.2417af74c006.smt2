; law layer_norm (weight_gradient) of rule primitives.layer_norm
; the formula of layer_norm is what the derivation computes
; true for all parameters: unsatisfiable
; v0 is E: elements of an elementwise operand or of a full tensor in a collective
; v1 is e: width of one element
; v2 is w: width of a normalised row
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (not (and (= (* 7 v0) (* 7 v0)) (= 0 0) (= (* 2 v1 v2) (* 2 v1 v2)) (= 0 0))))
(check-sat)
