; law working-memory (one byte more) of rule planning.activations
; C_work = the bytes made again that gradients read: gathered shards, and what recompute makes
; a false variant: satisfiable
; v0 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (not (= (* 0 v0) v0)))
(check-sat)
