; law optimizer-memory (by stage) of rule planning.memory
; C_o = o N, from ZeRO stage 1 o n
; true for all parameters: unsatisfiable
; v0 is N: parameters of one rank
; v1 is o: optimizer state of one parameter: fp32 master copy and two moments
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (= (* v0 v1) (* v0 v1))))
(check-sat)
