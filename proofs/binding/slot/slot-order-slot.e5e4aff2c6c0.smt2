; law slot-order (slot) of rule binding.slot
; task i is issued in cycle i, slot 0, so every dependency is issued in an earlier cycle: slot
; true for all parameters: unsatisfiable
(set-logic QF_NIA)
(assert (not (= 0 0)))
(check-sat)
