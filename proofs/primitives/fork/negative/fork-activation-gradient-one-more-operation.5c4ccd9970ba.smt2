; law fork (activation_gradient, one more operation) of rule primitives.fork
; a formula of fork with one operation more
; a false variant: satisfiable
; v0 is E: elements of an elementwise operand or of a full tensor in a collective
; v1 is n: columns of the left matrix, summed over; branches of a fork
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (= (* v0 v1) (+ (* v0 v1) 1))))
(check-sat)
