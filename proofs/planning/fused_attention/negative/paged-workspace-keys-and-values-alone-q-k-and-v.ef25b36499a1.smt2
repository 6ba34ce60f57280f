; law paged-workspace (keys and values alone: q, k and v) of rule planning.fused_attention
; C_ws = C_bd + max(3 b q H e/t, b (h/t) q (d e + 4), b q F e/t, 4 b c): q, k and v
; a false variant: satisfiable
; v0 is k: key/value heads
; v1 is k_t: key/value heads of one rank, k = t k_t
; v2 is t: tensor-parallel degree
; v3 is e: width of one element
; v4 is b: sequences of an inference batch
; v5 is d: head width
; v6 is h_t: query heads of one rank, h = t h_t
; v7 is q: new tokens of each sequence in a step of inference
; v8 is H: hidden width
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
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (+ (* v3 v4 v5 v6 v7 v2) (* 2 v3 v4 v5 v1 v7 v2) (* v8 v4 v3 v7 v2)) (+ (* v8 v4 v3 v7 v2) (* 2 v4 v5 v3 v0 v7)))))
(check-sat)
