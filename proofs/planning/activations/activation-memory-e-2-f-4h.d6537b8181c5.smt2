; law activation-memory (e = 2, F = 4H) of rule planning.activations
; C_act = BSH (10 + 24/t + 5hS/(Ht)), 34 BSH/t + 5 B h S^2/t under sequence parallelism
; true for all parameters: unsatisfiable
; v0 is F_t: feed-forward width of one rank, F = t F_t
; v1 is d: head width
; v2 is h_t: query heads of one rank, h = t h_t
; v3 is h: query heads
; v4 is t: tensor-parallel degree
; v5 is k_t: key/value heads of one rank, k = t k_t
; v6 is H: hidden width
; v7 is e: width of one element
; v8 is S: sequence length
; v9 is S_t: sequence length of one rank, S = t S_t
; v10 is B: sequences in a microbatch
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
(assert (! (= v0 (* 4 v1 v2)) :named h0))
(assert (! (= v3 (* v2 v4)) :named h1))
(assert (! (= v5 v2) :named h2))
(assert (! (= v6 (* v1 v3)) :named h3))
(assert (! (= v7 2) :named h4))
(assert (! (= v8 (* v9 v4)) :named h5))
(assert (not (= (+ (* 2 v10 v6 v9 v4) (* 4 v10 v6 v9 v7 v4) (* 2 v10 v0 v9 v7 v4 v4) (* 2 v10 v9 v1 v7 v2 v4 v4) (* 2 v10 v9 v1 v7 v5 v4 v4)) (* 34 v10 v6 v8))))
(check-sat)
