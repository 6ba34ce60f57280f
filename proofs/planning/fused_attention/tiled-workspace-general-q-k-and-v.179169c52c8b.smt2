; law tiled-workspace (general: q, k and v) of rule planning.fused_attention
; C_ws = C_bd + max(3 b q H e/t, b (h/t) q (d e + 4), b q F e/t): q, k and v
; true for all parameters: unsatisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is k: key/value heads
; v4 is k_t: key/value heads of one rank, k = t k_t
; v5 is e: width of one element
; v6 is b: sequences of an inference batch
; v7 is d: head width
; v8 is q: new tokens of each sequence in a step of inference
; v9 is H: hidden width
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
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (! (= v3 (* v4 v2)) :named h1))
(assert (not (= (+ (* v5 v6 v7 v1 v8 v2) (* 2 v5 v6 v7 v4 v8 v2) (* v9 v6 v5 v8 v2)) (+ (* v9 v6 v5 v8 v2) (* v6 v7 v5 v8 v0) (* 2 v6 v7 v5 v8 v3)))))
(check-sat)
