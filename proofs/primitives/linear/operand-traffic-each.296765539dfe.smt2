; law operand-traffic (each) of rule primitives.linear
; the bytes of linear are those of its operands
; true for all parameters: unsatisfiable
; v0 is F_t: feed-forward width of one rank, F = t F_t
; v1 is H: hidden width
; v2 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (not (= (* v0 v1 v2) (* v0 v1 v2))))
(check-sat)
