; law operand-traffic (each) of rule primitives.batched_matmul
; the bytes of batched_matmul are those of its operands
; true for all parameters: unsatisfiable
; v0 is k_t: key/value heads of one rank, k = t k_t
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is b: sequences of an inference batch
; v3 is e: width of one element
; v4 is c: visible tokens of each sequence, the step's new ones included
; v5 is d: head width
; v6 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(assert (! (= v0 v1) :named h0))
(assert (not (= (+ (* v2 v3 v1 v4 v5) (* v2 v3 v1 v4 v6)) (+ (* v2 v4 v1 v6 v3) (* v2 v4 v5 v3 v0)))))
(check-sat)
