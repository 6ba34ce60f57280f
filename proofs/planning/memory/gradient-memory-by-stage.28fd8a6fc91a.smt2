; law gradient-memory (by stage) of rule planning.memory
; C_g = g N, from ZeRO stage 2 g n
; true for all parameters: unsatisfiable
; v0 is N: parameters of one rank
; v1 is g: width of one gradient element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (= (* v0 v1) (* v0 v1))))
(check-sat)
