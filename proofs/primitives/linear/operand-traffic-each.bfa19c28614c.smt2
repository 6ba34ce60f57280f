; law operand-traffic (each) of rule primitives.linear
; the bytes of linear are those of its operands
; true for all parameters: unsatisfiable
; v0 is e: width of one element
; v1 is H: hidden width
; v2 is d: head width
; v3 is k_t: key/value heads of one rank, k = t k_t
; v4 is B: sequences in a microbatch
; v5 is S_t: sequence length of one rank, S = t S_t
; v6 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(assert (not (= (+ (* v0 v1 v2 v3) (* v0 v4 v1 v5 v6)) (+ (* v4 v1 v5 v6 v0) (* v1 v2 v3 v0)))))
(check-sat)
