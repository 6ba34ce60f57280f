; law workspace (classical: feed-forward rows) of rule planning.workspace
; C_ws = C_bd + e max(3 b q H/t, b (h/t) q c, b q F/t): feed-forward rows
; true for all parameters: unsatisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is F: feed-forward width
; v4 is F_t: feed-forward width of one rank, F = t F_t
; v5 is H: hidden width
; v6 is d: head width
; v7 is b: sequences of an inference batch
; v8 is e: width of one element
; v9 is q: new tokens of each sequence in a step of inference
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
(assert (! (= v5 (* v6 v0)) :named h2))
(assert (not (= (+ (* v4 v7 v8 v9 v2) (* v5 v7 v8 v9 v2)) (+ (* v3 v7 v8 v9) (* v5 v7 v8 v9 v2)))))
(check-sat)
