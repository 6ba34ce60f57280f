; law buffer-size (wrong size) of rule planning.buffer
; C = elements * width
; a false variant: satisfiable
; v0 is E: elements of an elementwise operand or of a full tensor in a collective
; v1 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (= (* v0 v1) (+ v1 (* v0 v1)))))
(check-sat)
