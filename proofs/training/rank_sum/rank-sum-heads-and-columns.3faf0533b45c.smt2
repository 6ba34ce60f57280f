; law rank-sum (heads and columns) of rule training.rank_sum
; t equal shards of a divided operation do the work of the whole
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is h: query heads
; v2 is h_t: query heads of one rank, h = t h_t
; v3 is B: sequences in a microbatch
; v4 is S: sequence length
; v5 is d: head width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (= v0 1) :named h0))
(assert (! (= v1 v2) :named h1))
(assert (not (= (* 4 v3 v4 v4 v5 v2 v0) (* 4 v3 v4 v4 v5 v1))))
(check-sat)
