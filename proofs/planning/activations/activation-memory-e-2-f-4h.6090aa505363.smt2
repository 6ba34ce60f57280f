; law activation-memory (e = 2, F = 4H) of rule planning.activations
; C_act = BSH (10 + 24/t + 5hS/(Ht)), 34 BSH/t + 5 B h S^2/t under sequence parallelism
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is F_t: feed-forward width of one rank, F = t F_t
; v2 is d: head width
; v3 is h_t: query heads of one rank, h = t h_t
; v4 is h: query heads
; v5 is k_t: key/value heads of one rank, k = t k_t
; v6 is H: hidden width
; v7 is e: width of one element
; v8 is B: sequences in a microbatch
; v9 is S: sequence length
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
(assert (! (= v7 2) :named h5))
(assert (not (= (+ (* 2 v8 v6 v9 v0) (* v8 v9 v9 v3 v0) (* 2 v8 v1 v9 v7 v0) (* 4 v8 v6 v9 v7 v0) (* 2 v8 v9 v9 v7 v3 v0) (* 2 v8 v9 v2 v7 v3 v0) (* 2 v8 v9 v2 v7 v5 v0)) (+ (* 24 v8 v6 v9) (* 5 v8 v9 v9 v4) (* 10 v8 v6 v9 v0)))))
(check-sat)
