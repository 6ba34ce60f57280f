; law inference-rank-sum (repeated on every rank) of rule inference.rank_sum
; t equal shards of a divided operation do the work of the whole
; a false variant: satisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is H: hidden width
; v4 is b: sequences of an inference batch
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
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (* 2 v3 v4 v5 v1 v6) (* 2 v3 v4 v5 v0 v6))))
(check-sat)
