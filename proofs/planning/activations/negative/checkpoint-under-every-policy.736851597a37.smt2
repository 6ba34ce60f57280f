; law checkpoint (under every policy) of rule planning.activations
; C_ckpt = e r under full recompute: the block's input alone is stored
; a false variant: satisfiable
; v0 is t: tensor-parallel degree
; v1 is B: sequences in a microbatch
; v2 is H: hidden width
; v3 is S: sequence length
; v4 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (* 0 v0) (* v1 v2 v3 v4 v0))))
(check-sat)
