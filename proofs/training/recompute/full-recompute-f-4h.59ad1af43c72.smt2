; law full-recompute (F = 4H) of rule training.recompute
; t W = 96 B S H^2 (1 + S/6H) over all matrix products under full recompute
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is F_t: feed-forward width of one rank, F = t F_t
; v2 is d: head width
; v3 is h_t: query heads of one rank, h = t h_t
; v4 is h: query heads
; v5 is k_t: key/value heads of one rank, k = t k_t
; v6 is H: hidden width
; v7 is B: sequences in a microbatch
; v8 is S: sequence length
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
(assert (! (= v0 1) :named h0))
(assert (! (= v1 (* 4 v2 v3)) :named h1))
(assert (! (= v4 v3) :named h2))
(assert (! (= v5 v3) :named h3))
(assert (! (= v6 (* v2 v4)) :named h4))
(assert (not (= (+ (* 2 v7 v6 v8 v2 v3 v0) (* 2 v7 v6 v8 v2 v5 v0) (* 2 v7 v6 v8 v2 v5 v0) (* 2 v7 v8 v8 v2 v3 v0) (* 2 v7 v8 v8 v2 v3 v0) (* 2 v7 v6 v8 v2 v3 v0) (* 2 v7 v1 v6 v8 v0) (* 2 v7 v1 v6 v8 v0) (* 2 v7 v6 v8 v2 v3 v0) (* 2 v7 v6 v8 v2 v5 v0) (* 2 v7 v6 v8 v2 v5 v0) (* 2 v7 v8 v8 v2 v3 v0) (* 2 v7 v8 v8 v2 v3 v0) (* 2 v7 v6 v8 v2 v3 v0) (* 2 v7 v1 v6 v8 v0) (* 2 v7 v1 v6 v8 v0) (* 2 v7 v1 v6 v8 v0) (* 2 v7 v1 v6 v8 v0) (* 2 v7 v1 v6 v8 v0) (* 2 v7 v1 v6 v8 v0) (* 2 v7 v6 v8 v2 v3 v0) (* 2 v7 v6 v8 v2 v3 v0) (* 4 v7 v8 v8 v2 v3 v0) (* 4 v7 v8 v8 v2 v3 v0) (* 2 v7 v6 v8 v2 v5 v0) (* 2 v7 v6 v8 v2 v5 v0) (* 2 v7 v6 v8 v2 v5 v0) (* 2 v7 v6 v8 v2 v5 v0) (* 2 v7 v6 v8 v2 v3 v0) (* 2 v7 v6 v8 v2 v3 v0)) (+ (* 16 v7 v6 v8 v8) (* 96 v7 v6 v6 v8)))))
(check-sat)
