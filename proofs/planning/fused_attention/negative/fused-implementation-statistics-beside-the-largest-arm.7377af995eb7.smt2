; law fused-implementation (statistics beside the largest arm) of rule planning.fused_attention
; an implementation that writes no scores needs at most the workspace of the plan: statistics beside the largest arm
; a false variant: satisfiable
; v0 is X_1: first arm of a maximum
; v1 is X_max: the largest of X_1, X_2, X_3
; v2 is C_bd: rows of the residual stream of one step on one rank
; v3 is Y_1: first arm of another maximum
; v4 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (! (<= v0 v1) :named h0))
(assert (! (<= 0 v0) :named h1))
(assert (! (<= 0 v1) :named h2))
(assert (! (<= 0 v2) :named h3))
(assert (! (<= 0 v3) :named h4))
(assert (! (<= 1 v4) :named h5))
(assert (not (<= (+ v2 v3 (* v0 v4)) (+ v2 (* v1 v4)))))
(check-sat)
