; law operand-traffic (each) of rule primitives.send
; the bytes of send are those of its operands
; true for all parameters: unsatisfiable
(set-logic QF_NIA)
(assert (not (= 0 0)))
(check-sat)
