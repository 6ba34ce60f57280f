; law qkv-projection (hidden width for heads) of rule training.qkv_projection
; W_QKV = 6 B S H^2 / t
; a false variant: satisfiable
; v0 is B: sequences in a microbatch
; v1 is H: hidden width
; v2 is S: sequence length
; v3 is d: head width
; v4 is h_t: query heads of one rank, h = t h_t
; v5 is t: tensor-parallel degree
; v6 is k_t: key/value heads of one rank, k = t k_t
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(assert (not (= (+ (* 2 v0 v1 v2 v3 v4 v5) (* 2 v0 v1 v2 v3 v6 v5) (* 2 v0 v1 v2 v3 v6 v5)) (* 6 v0 v1 v1 v2))))
(check-sat)
