; law tiled-workspace (general: rows and statistics) of rule planning.fused_attention
; C_ws = C_bd + max(3 b q H e/t, b (h/t) q (d e + 4), b q F e/t): rows and statistics
; true for all parameters: unsatisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is b: sequences of an inference batch
; v4 is q: new tokens of each sequence in a step of inference
; v5 is d: head width
; v6 is e: width of one element
; v7 is H: hidden width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(declare-const v7 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (+ (* 4 v3 v1 v4 v2) (* v3 v1 v4 v5 v6 v2) (* v7 v3 v6 v4 v2)) (+ (* 4 v3 v0 v4) (* v3 v0 v4 v5 v6) (* v7 v3 v6 v4 v2)))))
(check-sat)
