; law operand-traffic (each) of rule primitives.linear
; the bytes of linear are those of its operands
; true for all parameters: unsatisfiable
; v0 is e: width of one element
; v1 is F_t: feed-forward width of one rank, F = t F_t
; v2 is H: hidden width
; v3 is b: sequences of an inference batch
; v4 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (+ (* v0 v1 v2) (* v0 v2 v3 v4)) (+ (* v2 v3 v4 v0) (* v1 v2 v0)))))
(check-sat)
