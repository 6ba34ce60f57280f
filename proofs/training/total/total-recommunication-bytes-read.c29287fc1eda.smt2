; law total-recommunication (bytes read) of rule training.total
; all recommunication tasks together do the closed total
; true for all parameters: unsatisfiable
(set-logic QF_NIA)
(assert (not (= 0 0)))
(check-sat)
