; law operand-traffic (each) of rule primitives.receive
; the bytes of receive are those of its operands
; true for all parameters: unsatisfiable
; v0 is B: sequences in a microbatch
; v1 is H: hidden width
; v2 is S_t: sequence length of one rank, S = t S_t
; v3 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (= (* v0 v1 v2 v3) (* v0 v1 v2 v3))))
(check-sat)
