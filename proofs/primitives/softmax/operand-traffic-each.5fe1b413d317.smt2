; law operand-traffic (each) of rule primitives.softmax
; the bytes of softmax are those of its operands
; true for all parameters: unsatisfiable
; v0 is b: sequences of an inference batch
; v1 is c: visible tokens of each sequence, the step's new ones included
; v2 is e: width of one element
; v3 is h_t: query heads of one rank, h = t h_t
; v4 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (* v0 v1 v2 v3 v4) (* v0 v1 v3 v4 v2))))
(check-sat)
