; law slot-order (a slot for each) of rule binding.slot
; issue(t_i) = (cycle i, slot 0): a slot for each
; a false variant: satisfiable
; v0 is T_i: topological index of task i
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (! (<= 0 v0) :named h0))
(assert (not (= 0 v0)))
(check-sat)
