; law weight-memory (another width) of rule planning.memory
; C_w = e N, at ZeRO stage 3 e n
; a false variant: satisfiable
; v0 is N: parameters of one rank
; v1 is e: width of one element
; v2 is g: width of one gradient element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (not (= (* v0 v1) (* v0 v2))))
(check-sat)
