; law operand-traffic (each) of rule primitives.receive
; the bytes of receive are those of its operands
; true for all parameters: unsatisfiable
(set-logic QF_NIA)
(assert (not (= 0 0)))
(check-sat)
