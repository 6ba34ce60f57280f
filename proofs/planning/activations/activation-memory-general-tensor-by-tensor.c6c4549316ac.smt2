; law activation-memory (general, tensor by tensor) of rule planning.activations
; t C_act = (4e + 2) t r + 2e BS(h + k)d + 2e BSF + (2e + 1) B h S^2
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is h: query heads
; v2 is h_t: query heads of one rank, h = t h_t
; v3 is F: feed-forward width
; v4 is F_t: feed-forward width of one rank, F = t F_t
; v5 is k: key/value heads
; v6 is k_t: key/value heads of one rank, k = t k_t
; v7 is B: sequences in a microbatch
; v8 is S: sequence length
; v9 is e: width of one element
; v10 is H: hidden width
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
(assert (! (= v0 1) :named h0))
(assert (! (= v1 v2) :named h1))
(assert (! (= v3 v4) :named h2))
(assert (! (= v5 v6) :named h3))
(assert (not (= (+ (* v7 v4 v8 v9 v0) (* v7 v8 v8 v9 v2 v0) (* v7 v8 v8 v2 v0) (* v7 v10 v8 v9 v0) (* v7 v10 v8 v9 v0) (* v7 v8 v11 v9 v2 v0) (* v7 v8 v11 v9 v6 v0) (* v7 v10 v8 v0) (* v7 v10 v8 v9 v0) (* v7 v10 v8 v0) (* v7 v8 v11 v9 v2 v0) (* v7 v8 v8 v9 v2 v0) (* v7 v4 v8 v9 v0) (* v7 v8 v11 v9 v6 v0) (* v7 v10 v8 v9 v0)) (+ (* 2 v9 v7 v8 v11 v1) (* 2 v9 v7 v8 v11 v5) (* v7 v8 v8 v1) (* 2 v7 v3 v8 v9) (* 2 v7 v10 v8 v0) (* 2 v7 v8 v8 v9 v1) (* 4 v7 v10 v8 v9 v0)))))
(check-sat)
