; law gradient-memory (another width) of rule planning.memory
; C_g = g N, from ZeRO stage 2 g n
; a false variant: satisfiable
; v0 is N: parameters of one rank
; v1 is g: width of one gradient element
; v2 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (not (= (* v0 v1) (* v0 v2))))
(check-sat)
