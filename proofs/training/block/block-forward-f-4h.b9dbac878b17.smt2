; law block-forward (F = 4H) of rule training.block
; t W = 24 B S H^2 (1 + S/6H) over the forward matrix products
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is F_t: feed-forward width of one rank, F = t F_t
; v2 is d: head width
; v3 is h_t: query heads of one rank, h = t h_t
; v4 is h: query heads
; v5 is k_t: key/value heads of one rank, k = t k_t
; v6 is H: hidden width
; v7 is S: sequence length
; v8 is S_t: sequence length of one rank, S = t S_t
; v9 is B: sequences in a microbatch
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
(assert (! (= v0 1) :named h0))
(assert (! (= v1 (* 4 v2 v3)) :named h1))
(assert (! (= v4 v3) :named h2))
(assert (! (= v5 v3) :named h3))
(assert (! (= v6 (* v2 v4)) :named h4))
(assert (! (= v7 v8) :named h5))
(assert (not (= (+ (* 2 v9 v6 v8 v2 v3 v0) (* 2 v9 v6 v8 v2 v5 v0) (* 2 v9 v6 v8 v2 v5 v0) (* 2 v9 v8 v8 v2 v3 v0) (* 2 v9 v8 v8 v2 v3 v0) (* 2 v9 v6 v8 v2 v3 v0) (* 2 v9 v1 v6 v8 v0) (* 2 v9 v1 v6 v8 v0)) (+ (* 4 v9 v6 v7 v7) (* 24 v9 v6 v6 v7)))))
(check-sat)
