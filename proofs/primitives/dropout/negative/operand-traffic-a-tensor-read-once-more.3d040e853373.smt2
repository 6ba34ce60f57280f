; law operand-traffic (a tensor read once more) of rule primitives.dropout
; the bytes of dropout are those of its operands
; a false variant: satisfiable
; v0 is B: sequences in a microbatch
; v1 is S: sequence length
; v2 is e: width of one element
; v3 is h_t: query heads of one rank, h = t h_t
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (= (* v0 v1 v1 v2 v3) (* 2 v0 v1 v1 v3 v2))))
(check-sat)
