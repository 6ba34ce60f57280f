; law fork (activation_gradient) of rule primitives.fork
; the formula of fork is what the derivation computes
; true for all parameters: unsatisfiable
; v0 is E: elements of an elementwise operand or of a full tensor in a collective
; v1 is n: columns of the left matrix, summed over; branches of a fork
; v2 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (not (and (= (* v0 v1) (* v0 v1)) (= (* v0 v2 v1) (* v0 v2 v1)) (= (* v0 v2) (* v0 v2)) (= 0 0))))
(check-sat)
