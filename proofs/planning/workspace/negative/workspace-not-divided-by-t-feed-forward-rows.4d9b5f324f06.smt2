; law workspace (not divided by t: feed-forward rows) of rule planning.workspace
; C_ws = C_bd + e max(3 b q H/t, b (h/t) q c, b q F/t): feed-forward rows
; a false variant: satisfiable
; v0 is F: feed-forward width
; v1 is F_t: feed-forward width of one rank, F = t F_t
; v2 is t: tensor-parallel degree
; v3 is b: sequences of an inference batch
; v4 is e: width of one element
; v5 is q: new tokens of each sequence in a step of inference
; v6 is H: hidden width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (+ (* v1 v3 v4 v5 v2) (* v6 v3 v4 v5 v2)) (+ (* v0 v3 v4 v5 v2) (* v6 v3 v4 v5 v2)))))
(check-sat)
