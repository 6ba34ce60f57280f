; law operand-traffic (a tensor read once more) of rule primitives.layer_norm
; the bytes of layer_norm are those of its operands
; a false variant: satisfiable
; v0 is H: hidden width
; v1 is e: width of one element
; v2 is B: sequences in a microbatch
; v3 is S: sequence length
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (= (+ (* 2 v0 v1) (* v2 v0 v3 v1)) (+ (* 2 v2 v0 v3 v1) (* v0 v1) (* v0 v1)))))
(check-sat)
