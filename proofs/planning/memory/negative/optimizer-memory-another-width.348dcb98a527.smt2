; law optimizer-memory (another width) of rule planning.memory
; C_o = o N, from ZeRO stage 1 o n
; a false variant: satisfiable
; v0 is N: parameters of one rank
; v1 is o: optimizer state of one parameter: fp32 master copy and two moments
; v2 is g: width of one gradient element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (not (= (* v0 v1) (* v0 v2))))
(check-sat)
