; law activation-memory (classical, tensor by tensor) of rule planning.activations
; t C_act = (4e + 2) t r + 4e BSH + 2e BSF + (2e + 1) B h S^2
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (not (= (* 0 v0) 0)))
(check-sat)
