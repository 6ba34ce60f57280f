; law qkv-projection (general) of rule training.qkv_projection
; W_QKV = 2 B S H (h + 2k) d / t
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is h: query heads
; v2 is h_t: query heads of one rank, h = t h_t
; v3 is k: key/value heads
; v4 is k_t: key/value heads of one rank, k = t k_t
; v5 is S: sequence length
; v6 is S_t: sequence length of one rank, S = t S_t
; v7 is B: sequences in a microbatch
; v8 is H: hidden width
; v9 is d: head width
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
(assert (! (= v1 v2) :named h1))
(assert (! (= v3 v4) :named h2))
(assert (! (= v5 v6) :named h3))
(assert (not (= (+ (* 2 v7 v8 v6 v9 v2 v0) (* 2 v7 v8 v6 v9 v4 v0) (* 2 v7 v8 v6 v9 v4 v0)) (+ (* 2 v7 v8 v5 v9 v1) (* 4 v7 v8 v5 v9 v3)))))
(check-sat)
