; law fused-implementation (so is the largest arm, and the workspace) of rule planning.fused_attention
; an implementation that writes no scores needs at most the workspace of the plan: so is the largest arm, and the workspace
; true for all parameters: unsatisfiable
; v0 is Y_max: the largest of Y_1, Y_2, Y_3
; v1 is Y_1: first arm of another maximum
; v2 is X_1: first arm of a maximum
; v3 is X_max: the largest of X_1, X_2, X_3
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
(assert (! (= v0 v1) :named h0))
(assert (! (<= v1 v2) :named h1))
(assert (! (<= v2 v3) :named h2))
(assert (! (<= 0 v0) :named h3))
(assert (! (<= 0 v1) :named h4))
(assert (! (<= 0 v2) :named h5))
(assert (! (<= 0 v3) :named h6))
(assert (! (<= 1 v4) :named h7))
(assert (! (<= 1 v5) :named h8))
(assert (! (<= 1 v6) :named h9))
(assert (! (<= 1 v7) :named h10))
(assert (not (<= (+ (* v4 v5 v6 v7) v0) (+ v3 (* v4 v5 v6 v7)))))
(check-sat)
