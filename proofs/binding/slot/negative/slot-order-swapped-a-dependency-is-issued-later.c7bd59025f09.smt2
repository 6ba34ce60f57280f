; law slot-order (swapped: a dependency is issued later) of rule binding.slot
; issue(t_i) = (cycle i, slot 0): swapped: a dependency is issued later
; a false variant: satisfiable
; v0 is T_j: topological index of task j
; v1 is T_i: topological index of task i
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (< v0 v1) :named h0))
(assert (! (<= 0 v0) :named h1))
(assert (! (<= 0 v1) :named h2))
(assert (not (< v1 v0)))
(check-sat)
