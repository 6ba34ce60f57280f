; law operand-traffic (each) of rule primitives.batched_matmul
; the bytes of batched_matmul are those of its operands
; true for all parameters: unsatisfiable
; v0 is k_t: key/value heads of one rank, k = t k_t
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is B: sequences in a microbatch
; v3 is e: width of one element
; v4 is S: sequence length
; v5 is d: head width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (= v0 v1) :named h0))
(assert (not (= (+ (* v2 v3 v1 v4 v4) (* 3 v2 v3 v1 v4 v5)) (+ (* 2 v2 v4 v5 v1 v3) (* v2 v4 v4 v1 v3) (* v2 v4 v5 v0 v3)))))
(check-sat)
