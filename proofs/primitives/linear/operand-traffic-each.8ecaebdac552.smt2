; law operand-traffic (each) of rule primitives.linear
; the bytes of linear are those of its operands
; true for all parameters: unsatisfiable
; v0 is e: width of one element
; v1 is H: hidden width
; v2 is b: sequences of an inference batch
; v3 is q: new tokens of each sequence in a step of inference
; v4 is d: head width
; v5 is k_t: key/value heads of one rank, k = t k_t
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (not (= (+ (* v0 v1 v2 v3) (* v0 v1 v4 v5)) (+ (* v1 v2 v3 v0) (* v1 v4 v5 v0)))))
(check-sat)
