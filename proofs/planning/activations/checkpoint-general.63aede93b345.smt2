; law checkpoint (general) of rule planning.activations
; C_ckpt = e r under full recompute: the block's input alone is stored
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (! (= v0 1) :named h0))
(assert (not (= (* 0 v0) 0)))
(check-sat)
