; law inference-rank-sum (heads and columns) of rule inference.rank_sum
; t equal shards of a divided operation do the work of the whole
; true for all parameters: unsatisfiable
; v0 is F: feed-forward width
; v1 is F_t: feed-forward width of one rank, F = t F_t
; v2 is t: tensor-parallel degree
; v3 is b: sequences of an inference batch
; v4 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (* 8 v1 v3 v4 v2) (* 8 v0 v3 v4))))
(check-sat)
