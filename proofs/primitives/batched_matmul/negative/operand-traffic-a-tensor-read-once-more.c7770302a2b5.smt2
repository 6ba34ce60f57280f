; law operand-traffic (a tensor read once more) of rule primitives.batched_matmul
; the bytes of batched_matmul are those of its operands
; a false variant: satisfiable
; v0 is k_t: key/value heads of one rank, k = t k_t
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is B: sequences in a microbatch
; v3 is S: sequence length
; v4 is d: head width
; v5 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (= v0 v1) :named h0))
(assert (not (= (* 2 v2 v3 v4 v5 v1) (+ (* 2 v2 v3 v4 v1 v5) (* v2 v3 v4 v0 v5)))))
(check-sat)
