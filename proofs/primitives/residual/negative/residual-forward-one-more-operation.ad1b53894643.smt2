; law residual (forward, one more operation) of rule primitives.residual
; a formula of residual with one operation more
; a false variant: satisfiable
; v0 is E: elements of an elementwise operand or of a full tensor in a collective
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (not (= v0 (+ v0 1))))
(check-sat)
