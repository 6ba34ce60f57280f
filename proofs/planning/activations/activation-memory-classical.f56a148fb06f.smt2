; law activation-memory (classical) of rule planning.activations
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
; v8 is B: sequences in a microbatch
; v9 is S: sequence length
; v10 is e: width of one element
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
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (! (= v3 (* v4 v2)) :named h1))
(assert (! (= v5 v1) :named h2))
(assert (! (= v6 (* v7 v0)) :named h3))
(assert (not (= (+ (* 2 v8 v6 v9 v2) (* 2 v8 v4 v9 v10 v2) (* 4 v8 v6 v9 v10 v2) (* 2 v8 v9 v7 v10 v1 v2) (* 2 v8 v9 v7 v10 v5 v2)) (+ (* 2 v8 v3 v9 v10) (* 4 v8 v6 v9 v10) (* 2 v8 v6 v9 v2) (* 4 v8 v6 v9 v10 v2)))))
(check-sat)
