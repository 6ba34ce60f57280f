; law operand-traffic (a tensor read once more) of rule primitives.linear
; the bytes of linear are those of its operands
; a false variant: satisfiable
; v0 is e: width of one element
; v1 is B: sequences in a microbatch
; v2 is H: hidden width
; v3 is S: sequence length
; v4 is d: head width
; v5 is h_t: query heads of one rank, h = t h_t
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (not (= (+ (* v0 v1 v2 v3) (* v0 v2 v4 v5)) (+ (* 2 v1 v2 v3 v0) (* v2 v4 v5 v0)))))
(check-sat)
