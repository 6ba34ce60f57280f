; law working-memory (without masks) of rule planning.activations
; C_work = the bytes made again that gradients read: gathered shards, and what recompute makes
; a false variant: satisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is F: feed-forward width
; v4 is F_t: feed-forward width of one rank, F = t F_t
; v5 is k: key/value heads
; v6 is k_t: key/value heads of one rank, k = t k_t
; v7 is B: sequences in a microbatch
; v8 is H: hidden width
; v9 is S: sequence length
; v10 is e: width of one element
; v11 is d: head width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(declare-const v7 Int)
(declare-const v8 Int)
(declare-const v9 Int)
(declare-const v10 Int)
(declare-const v11 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (! (= v3 (* v4 v2)) :named h1))
(assert (! (= v5 (* v6 v2)) :named h2))
(assert (not (= (+ (* 2 v7 v8 v9 v2) (* v7 v9 v9 v1 v2) (* 2 v7 v4 v9 v10 v2) (* 3 v7 v8 v9 v10 v2) (* 2 v7 v9 v9 v10 v1 v2) (* 2 v7 v9 v11 v10 v1 v2) (* 2 v7 v9 v11 v10 v6 v2)) (+ (* 2 v10 v7 v9 v11 v0) (* 2 v10 v7 v9 v11 v5) (* 2 v7 v3 v9 v10) (* 2 v7 v8 v9 v2) (* 2 v7 v9 v9 v10 v0) (* 3 v7 v8 v9 v10 v2)))))
(check-sat)
