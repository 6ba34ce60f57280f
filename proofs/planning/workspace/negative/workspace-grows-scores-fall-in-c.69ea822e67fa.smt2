; law workspace-grows (scores fall in c) of rule planning.workspace
; no arm falls where b, q, c or F grows: scores fall in c
; a false variant: satisfiable
; v0 is b: sequences of an inference batch
; v1 is e: width of one element
; v2 is h: query heads
; v3 is q: new tokens of each sequence in a step of inference
; v4 is c: visible tokens of each sequence, the step's new ones included
; v5 is m: rows of the left matrix; elements of a parameter shard
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (<= 1 v0) :named h0))
(assert (! (<= 1 v1) :named h1))
(assert (! (<= 1 v2) :named h2))
(assert (! (<= 1 v3) :named h3))
(assert (! (<= 1 v4) :named h4))
(assert (! (<= 1 v5) :named h5))
(assert (not (<= (+ (* v0 v1 v2 v3 v4) (* v0 v1 v2 v3 v5)) (* v0 v4 v1 v2 v3))))
(check-sat)
