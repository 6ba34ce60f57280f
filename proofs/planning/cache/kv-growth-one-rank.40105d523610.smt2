; law kv-growth (one rank) of rule planning.cache
; one more visible token adds 2 b (H/t) e to the caches of a rank, and 2 b H e to those of all: one rank
; true for all parameters: unsatisfiable
; v0 is b: sequences of an inference batch
; v1 is d: head width
; v2 is e: width of one element
; v3 is k_t: key/value heads of one rank, k = t k_t
; v4 is c: visible tokens of each sequence, the step's new ones included
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (+ (* 2 v0 v1 v2 v3) (* 2 v0 v4 v1 v2 v3)) (+ (* 2 v0 v4 v1 v2 v3) (* 2 v0 v1 v2 v3)))))
(check-sat)
