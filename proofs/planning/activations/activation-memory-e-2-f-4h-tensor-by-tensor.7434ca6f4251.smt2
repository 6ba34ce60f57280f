; law activation-memory (e = 2, F = 4H, tensor by tensor) of rule planning.activations
; C_act = BSH (10 + 24/t + 5hS/(Ht)), 34 BSH/t + 5 B h S^2/t under sequence parallelism
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (! (= v0 1) :named h0))
(assert (not (= (* 0 v0) 0)))
(check-sat)
