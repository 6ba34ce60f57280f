; law slot-order (slot) of rule binding.slot
; issue(t_i) = (cycle i, slot 0): slot
; true for all parameters: unsatisfiable
(set-logic QF_NIA)
(assert (not (= 0 0)))
(check-sat)
