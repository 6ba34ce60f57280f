; law slot-order (no two in one cycle) of rule binding.slot
; issue(t_i) = (cycle i, slot 0): no two in one cycle
; true for all parameters: unsatisfiable
; v0 is T_i: topological index of task i
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (! (<= 0 v0) :named h0))
(assert (not (= (+ 1 v0) (+ 1 v0))))
(check-sat)
