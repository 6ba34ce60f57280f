; law operand-traffic (each) of rule primitives.gelu
; the bytes of gelu are those of its operands
; true for all parameters: unsatisfiable
; v0 is B: sequences in a microbatch
; v1 is F_t: feed-forward width of one rank, F = t F_t
; v2 is S_t: sequence length of one rank, S = t S_t
; v3 is e: width of one element
; v4 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (* 2 v0 v1 v2 v3 v4) (+ (* v0 v1 v2 v4 v3) (* v0 v1 v2 v4 v3)))))
(check-sat)
