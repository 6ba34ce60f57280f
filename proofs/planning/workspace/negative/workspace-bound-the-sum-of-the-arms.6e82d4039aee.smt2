; law workspace-bound (the sum of the arms) of rule planning.workspace
; the workspace is above every arm, one arm attains it, and it never falls where an arm grows: the sum of the arms
; a false variant: satisfiable
; v0 is X_1: first arm of a maximum
; v1 is X_max: the largest of X_1, X_2, X_3
; v2 is X_2: second arm of a maximum
; v3 is X_3: third arm of a maximum
; v4 is H: hidden width
; v5 is b: sequences of an inference batch
; v6 is e: width of one element
; v7 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(declare-const v7 Int)
(assert (! (<= v0 v1) :named h0))
(assert (! (<= v2 v1) :named h1))
(assert (! (<= v3 v1) :named h2))
(assert (! (<= 0 v0) :named h3))
(assert (! (<= 0 v1) :named h4))
(assert (! (<= 0 v2) :named h5))
(assert (! (<= 0 v3) :named h6))
(assert (! (<= 1 v4) :named h7))
(assert (! (<= 1 v5) :named h8))
(assert (! (<= 1 v6) :named h9))
(assert (! (<= 1 v7) :named h10))
(assert (not (<= (+ (* v4 v5 v6 v7) v0 v2 v3) (+ v1 (* v4 v5 v6 v7)))))
(check-sat)
