; law workspace (context dropped: scores) of rule planning.workspace
; C_ws = C_bd + e max(3 b q H/t, b (h/t) q c, b q F/t): scores
; a false variant: satisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is b: sequences of an inference batch
; v4 is c: visible tokens of each sequence, the step's new ones included
; v5 is e: width of one element
; v6 is q: new tokens of each sequence in a step of inference
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
(assert (not (= (+ (* v3 v4 v5 v1 v6 v2) (* v7 v3 v5 v6 v2)) (+ (* v3 v5 v0 v6 v6) (* v7 v3 v5 v6 v2)))))
(check-sat)
