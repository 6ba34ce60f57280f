; law operand-traffic (each) of rule primitives.linear
; the bytes of linear are those of its operands
; true for all parameters: unsatisfiable
; v0 is B: sequences in a microbatch
; v1 is S_t: sequence length of one rank, S = t S_t
; v2 is d: head width
; v3 is e: width of one element
; v4 is k_t: key/value heads of one rank, k = t k_t
; v5 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (not (= (* v0 v1 v2 v3 v4 v5) (* v0 v1 v2 v4 v5 v3))))
(check-sat)
