; law receive (stage_boundary, one more operation) of rule primitives.receive
; a formula of receive with one operation more
; a false variant: satisfiable
(set-logic QF_NIA)
(assert (not (= 0 (+ 0 1))))
(check-sat)
