; law all_gather (synchronization, one more operation) of rule primitives.all_gather
; a formula of all_gather with one operation more
; a false variant: satisfiable
(set-logic QF_NIA)
(assert (not (= 0 (+ 0 1))))
(check-sat)
