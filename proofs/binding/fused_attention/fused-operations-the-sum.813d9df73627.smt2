; law fused-operations (the sum) of rule binding.fused_attention
; a fused attention core does the operations of its three tasks: the sum
; true for all parameters: unsatisfiable
; v0 is W_1: operations of the scores
; v1 is W_2: operations of the softmax
; v2 is W_3: operations of the context
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (! (<= 0 v0) :named h0))
(assert (! (<= 0 v1) :named h1))
(assert (! (<= 0 v2) :named h2))
(assert (not (= (+ v0 v1 v2) (+ v0 v1 v2))))
(check-sat)
