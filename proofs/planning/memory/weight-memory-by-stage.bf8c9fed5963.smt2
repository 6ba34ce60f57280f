; law weight-memory (by stage) of rule planning.memory
; C_w = e N, at ZeRO stage 3 e n
; true for all parameters: unsatisfiable
; v0 is e: width of one element
; v1 is n_D: largest share of a rank's parameters over the data-parallel group
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (= (* v0 v1) (* v0 v1))))
(check-sat)
