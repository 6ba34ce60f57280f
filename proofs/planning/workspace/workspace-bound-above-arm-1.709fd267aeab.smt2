; law workspace-bound (above arm 1) of rule planning.workspace
; the workspace is above every arm, one arm attains it, and it never falls where an arm grows: above arm 1
; true for all parameters: unsatisfiable
; v0 is X_1: first arm of a maximum
; v1 is X_max: the largest of X_1, X_2, X_3
; v2 is H: hidden width
; v3 is b: sequences of an inference batch
; v4 is e: width of one element
; v5 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (<= v0 v1) :named h0))
(assert (! (<= 0 v0) :named h1))
(assert (! (<= 0 v1) :named h2))
(assert (! (<= 1 v2) :named h3))
(assert (! (<= 1 v3) :named h4))
(assert (! (<= 1 v4) :named h5))
(assert (! (<= 1 v5) :named h6))
(assert (not (<= (+ (* v2 v3 v4 v5) v0) (+ v1 (* v2 v3 v4 v5)))))
(check-sat)
