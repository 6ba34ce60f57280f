; law prefill-derivation (with any q) of rule inference.prefill
; W_p of a prompt's step is W_t of the training forward pass at B = b, S = c = q, as both are derived: with any q
; a false variant: satisfiable
; v0 is H: hidden width
; v1 is b: sequences of an inference batch
; v2 is d: head width
; v3 is h_t: query heads of one rank, h = t h_t
; v4 is q: new tokens of each sequence in a step of inference
; v5 is k_t: key/value heads of one rank, k = t k_t
; v6 is c: visible tokens of each sequence, the step's new ones included
; v7 is F_t: feed-forward width of one rank, F = t F_t
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(declare-const v7 Int)
(assert (not (= (+ (* 2 v0 v1 v2 v3 v4) (* 2 v0 v1 v2 v5 v4) (* 2 v0 v1 v2 v5 v4) (* 2 v1 v6 v2 v3 v4) (* 2 v1 v6 v2 v3 v4) (* 2 v0 v1 v2 v3 v4) (* 2 v7 v0 v1 v4) (* 2 v7 v0 v1 v4)) (+ (* 2 v1 v0 v6 v2 v3) (* 2 v1 v0 v6 v2 v5) (* 2 v1 v0 v6 v2 v5) (* 2 v1 v6 v6 v2 v3) (* 2 v1 v6 v6 v2 v3) (* 2 v1 v0 v6 v2 v3) (* 2 v1 v7 v0 v6) (* 2 v1 v7 v0 v6)))))
(check-sat)
