; law operand-traffic (each) of rule primitives.layer_norm
; the bytes of layer_norm are those of its operands
; true for all parameters: unsatisfiable
; v0 is H: hidden width
; v1 is e: width of one element
; v2 is b: sequences of an inference batch
; v3 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (= (+ (* 2 v0 v1) (* v0 v2 v1 v3)) (+ (* v0 v2 v3 v1) (* v0 v1) (* v0 v1)))))
(check-sat)
