; law operand-traffic (each) of rule primitives.linear
; the bytes of linear are those of its operands
; true for all parameters: unsatisfiable
; v0 is b: sequences of an inference batch
; v1 is d: head width
; v2 is e: width of one element
; v3 is k_t: key/value heads of one rank, k = t k_t
; v4 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (* v0 v1 v2 v3 v4) (* v0 v1 v2 v3 v4))))
(check-sat)
