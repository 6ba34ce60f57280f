; law fused-implementation (statistics beside the largest arm) of rule planning.fused_attention
; an implementation that writes no scores needs at most the workspace of the plan: statistics beside the largest arm
; a false variant: satisfiable
; v0 is X_1: first arm of a maximum
; v1 is X_max: the largest of X_1, X_2, X_3
; v2 is H: hidden width
; v3 is b: sequences of an inference batch
; v4 is e: width of one element
; v5 is q: new tokens of each sequence in a step of inference
; v6 is Y_1: first arm of another maximum
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(assert (! (<= v0 v1) :named h0))
(assert (! (<= 0 v0) :named h1))
(assert (! (<= 0 v1) :named h2))
(assert (! (<= 1 v2) :named h3))
(assert (! (<= 1 v3) :named h4))
(assert (! (<= 1 v4) :named h5))
(assert (! (<= 1 v5) :named h6))
(assert (! (<= 0 v6) :named h7))
(assert (not (<= (+ (* v2 v3 v4 v5) v0 v6) (+ v1 (* v2 v3 v4 v5)))))
(check-sat)
