; law prefill-derivation (matrix products) of rule inference.prefill
; W_p of a prompt's step is W_t of the training forward pass at B = b, S = c = q, as both are derived: matrix products
; true for all parameters: unsatisfiable
; v0 is q: new tokens of each sequence in a step of inference
; v1 is c: visible tokens of each sequence, the step's new ones included
; v2 is H: hidden width
; v3 is b: sequences of an inference batch
; v4 is d: head width
; v5 is h_t: query heads of one rank, h = t h_t
; v6 is k_t: key/value heads of one rank, k = t k_t
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
(assert (! (= v0 v1) :named h0))
(assert (not (= (+ (* 2 v2 v3 v4 v5 v0) (* 2 v2 v3 v4 v6 v0) (* 2 v2 v3 v4 v6 v0) (* 2 v3 v1 v4 v5 v0) (* 2 v3 v1 v4 v5 v0) (* 2 v2 v3 v4 v5 v0) (* 2 v7 v2 v3 v0) (* 2 v7 v2 v3 v0)) (+ (* 2 v3 v2 v1 v4 v5) (* 2 v3 v2 v1 v4 v6) (* 2 v3 v2 v1 v4 v6) (* 2 v3 v1 v1 v4 v5) (* 2 v3 v1 v1 v4 v5) (* 2 v3 v2 v1 v4 v5) (* 2 v3 v7 v2 v1) (* 2 v3 v7 v2 v1)))))
(check-sat)
