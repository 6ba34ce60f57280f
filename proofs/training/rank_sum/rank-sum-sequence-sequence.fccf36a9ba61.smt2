; law rank-sum-sequence (sequence) of rule training.rank_sum
; t equal shards of the residual stream do the work of the whole stream
; true for all parameters: unsatisfiable
; v0 is S: sequence length
; v1 is S_t: sequence length of one rank, S = t S_t
; v2 is t: tensor-parallel degree
; v3 is B: sequences in a microbatch
; v4 is H: hidden width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (* 2 v3 v4 v1 v2) (* 2 v3 v4 v0))))
(check-sat)
