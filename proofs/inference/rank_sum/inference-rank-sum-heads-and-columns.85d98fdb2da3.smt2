; law inference-rank-sum (heads and columns) of rule inference.rank_sum
; t equal shards of a divided operation do the work of the whole
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is h: query heads
; v2 is h_t: query heads of one rank, h = t h_t
; v3 is b: sequences of an inference batch
; v4 is c: visible tokens of each sequence, the step's new ones included
; v5 is d: head width
; v6 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(assert (! (= v0 1) :named h0))
(assert (! (= v1 v2) :named h1))
(assert (not (= (* 2 v3 v4 v5 v2 v6 v0) (* 2 v3 v4 v5 v1 v6))))
(check-sat)
