; law inference-rank-sum (one rank too many) of rule inference.rank_sum
; t equal shards of a divided operation do the work of the whole
; a false variant: satisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is b: sequences of an inference batch
; v4 is c: visible tokens of each sequence, the step's new ones included
; v5 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (+ (* 5 v3 v4 v1 v5) (* 5 v3 v4 v1 v5 v2)) (* 5 v3 v4 v0 v5))))
(check-sat)
