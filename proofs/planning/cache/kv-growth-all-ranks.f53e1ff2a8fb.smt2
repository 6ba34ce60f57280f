; law kv-growth (all ranks) of rule planning.cache
; one more visible token adds 2 b (H/t) e to the caches of a rank, and 2 b H e to those of all: all ranks
; true for all parameters: unsatisfiable
; v0 is k: key/value heads
; v1 is k_t: key/value heads of one rank, k = t k_t
; v2 is t: tensor-parallel degree
; v3 is h: query heads
; v4 is H: hidden width
; v5 is d: head width
; v6 is b: sequences of an inference batch
; v7 is e: width of one element
; v8 is c: visible tokens of each sequence, the step's new ones included
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(declare-const v7 Int)
(declare-const v8 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (! (= v3 v0) :named h1))
(assert (! (= v4 (* v5 v3)) :named h2))
(assert (not (= (+ (* 2 v6 v5 v7 v1 v2) (* 2 v6 v8 v5 v7 v1 v2)) (+ (* 2 v6 v8 v5 v7 v1 v2) (* 2 v4 v6 v7)))))
(check-sat)
