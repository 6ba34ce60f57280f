; law workspace (classical: q, k and v) of rule planning.workspace
; C_ws = C_bd + e max(3 b q H/t, b (h/t) q c, b q F/t): q, k and v
; true for all parameters: unsatisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is k_t: key/value heads of one rank, k = t k_t
; v4 is H: hidden width
; v5 is d: head width
; v6 is e: width of one element
; v7 is b: sequences of an inference batch
; v8 is q: new tokens of each sequence in a step of inference
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
(assert (! (= v3 v1) :named h1))
(assert (! (= v4 (* v5 v0)) :named h2))
(assert (not (= (+ (* v6 v7 v5 v1 v8 v2) (* 2 v6 v7 v5 v3 v8 v2) (* v4 v7 v6 v8 v2)) (+ (* 3 v4 v7 v6 v8) (* v4 v7 v6 v8 v2)))))
(check-sat)
