; law activation-memory (classical, tensor by tensor) of rule planning.activations
; t C_act = (4e + 2) t r + 4e BSH + 2e BSF + (2e + 1) B h S^2
; true for all parameters: unsatisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is F: feed-forward width
; v4 is F_t: feed-forward width of one rank, F = t F_t
; v5 is k_t: key/value heads of one rank, k = t k_t
; v6 is H: hidden width
; v7 is d: head width
; v8 is S: sequence length
; v9 is S_t: sequence length of one rank, S = t S_t
; v10 is B: sequences in a microbatch
; v11 is e: width of one element
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
(assert (! (= v5 v1) :named h2))
(assert (! (= v6 (* v7 v0)) :named h3))
(assert (! (= v8 (* v9 v2)) :named h4))
(assert (not (= (+ (* v10 v4 v9 v11 v2 v2) (* v10 v6 v9 v11 v2) (* v10 v6 v9 v11 v2) (* v10 v9 v7 v11 v1 v2 v2) (* v10 v9 v7 v11 v5 v2 v2) (* v10 v6 v9 v2) (* v10 v6 v9 v11 v2) (* v10 v6 v9 v2) (* v10 v9 v7 v11 v1 v2 v2) (* v10 v4 v9 v11 v2 v2) (* v10 v9 v7 v11 v5 v2 v2) (* v10 v6 v9 v11 v2)) (+ (* 2 v10 v6 v8) (* 2 v10 v3 v8 v11) (* 8 v10 v6 v8 v11)))))
(check-sat)
