; law working-memory (shards for what is gathered) of rule planning.activations
; C_work = the bytes made again that gradients read: gathered shards, and what recompute makes
; a false variant: satisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is F: feed-forward width
; v4 is F_t: feed-forward width of one rank, F = t F_t
; v5 is k: key/value heads
; v6 is k_t: key/value heads of one rank, k = t k_t
; v7 is S: sequence length
; v8 is S_t: sequence length of one rank, S = t S_t
; v9 is B: sequences in a microbatch
; v10 is H: hidden width
; v11 is e: width of one element
; v12 is d: head width
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
(declare-const v12 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (! (= v3 (* v4 v2)) :named h1))
(assert (! (= v5 (* v6 v2)) :named h2))
(assert (! (= v7 (* v8 v2)) :named h3))
(assert (not (= (+ (* 2 v9 v10 v8 v2) (* v9 v10 v8 v11 v2) (* v9 v8 v8 v1 v2 v2 v2) (* 2 v9 v4 v8 v11 v2 v2) (* 2 v9 v10 v8 v11 v2 v2) (* 2 v9 v8 v8 v11 v1 v2 v2 v2) (* 2 v9 v8 v12 v11 v1 v2 v2) (* 2 v9 v8 v12 v11 v6 v2 v2)) (+ (* 2 v11 v9 v7 v12 v0) (* 2 v11 v9 v7 v12 v5) (* 2 v9 v10 v7) (* v9 v7 v7 v0) (* 2 v9 v3 v7 v11) (* v9 v10 v7 v11) (* 2 v9 v7 v7 v11 v0) (* 2 v9 v10 v7 v11 v2) (* 2 v9 v10 v7 v11) (* (- 2) v9 v10 v7 v11 v2)))))
(check-sat)
