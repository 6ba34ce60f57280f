; law operand-traffic (each) of rule primitives.dropout
; the bytes of dropout are those of its operands
; true for all parameters: unsatisfiable
; v0 is B: sequences in a microbatch
; v1 is S_t: sequence length of one rank, S = t S_t
; v2 is e: width of one element
; v3 is h_t: query heads of one rank, h = t h_t
; v4 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (* v0 v1 v1 v2 v3 v4 v4) (* v0 v1 v1 v3 v4 v4 v2))))
(check-sat)
