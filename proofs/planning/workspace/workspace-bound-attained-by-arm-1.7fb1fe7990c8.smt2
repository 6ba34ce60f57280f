; law workspace-bound (attained by arm 1) of rule planning.workspace
; the workspace is above every arm, one arm attains it, and it never falls where an arm grows: attained by arm 1
; true for all parameters: unsatisfiable
; v0 is X_max: the largest of X_1, X_2, X_3
; v1 is X_1: first arm of a maximum
; v2 is C_bd: rows of the residual stream of one step on one rank
; v3 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (! (= v0 v1) :named h0))
(assert (! (<= 0 v0) :named h1))
(assert (! (<= 0 v1) :named h2))
(assert (! (<= 0 v2) :named h3))
(assert (! (<= 1 v3) :named h4))
(assert (not (= (+ v2 (* v0 v3)) (+ v2 (* v1 v3)))))
(check-sat)
