; law fused-operations (causal half) of rule binding.fused_attention
; W_fused = W_scores + W_softmax + W_context: causal half
; a false variant: satisfiable
; v0 is b: sequences of an inference batch
; v1 is c: visible tokens of each sequence, the step's new ones included
; v2 is h_t: query heads of one rank, h = t h_t
; v3 is q: new tokens of each sequence in a step of inference
; v4 is d: head width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (+ (* 10 v0 v1 v2 v3) (* 8 v0 v1 v4 v2 v3)) (+ (* 10 v0 v1 v2 v3) (* 4 v0 v1 v4 v2 v3)))))
(check-sat)
