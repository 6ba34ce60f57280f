; law softmax (activation_gradient) of rule primitives.softmax
; the formula of softmax is what the derivation computes
; true for all parameters: unsatisfiable
; v0 is E: elements of an elementwise operand or of a full tensor in a collective
; v1 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (and (= (* 8 v0) (* 8 v0)) (= (* 2 v0 v1) (* 2 v0 v1)) (= (* v0 v1) (* v0 v1)) (= 0 0))))
(check-sat)
