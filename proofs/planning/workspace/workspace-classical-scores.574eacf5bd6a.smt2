; law workspace (classical: scores) of rule planning.workspace
; C_ws = C_bd + e max(3 b q H/t, b (h/t) q c, b q F/t): scores
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is h: query heads
; v2 is h_t: query heads of one rank, h = t h_t
; v3 is H: hidden width
; v4 is d: head width
; v5 is b: sequences of an inference batch
; v6 is c: visible tokens of each sequence, the step's new ones included
; v7 is e: width of one element
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
(assert (! (= v0 1) :named h0))
(assert (! (= v1 v2) :named h1))
(assert (! (= v3 (* v4 v1)) :named h2))
(assert (not (= (+ (* v5 v6 v7 v2 v8 v0) (* v3 v5 v7 v8 v0)) (+ (* v3 v5 v7 v8 v0) (* v5 v6 v7 v1 v8)))))
(check-sat)
