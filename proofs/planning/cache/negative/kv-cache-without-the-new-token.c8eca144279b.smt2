; law kv-cache (without the new token) of rule planning.cache
; C_KV = 2 b c (H/t) e
; a false variant: satisfiable
; v0 is k: key/value heads
; v1 is k_t: key/value heads of one rank, k = t k_t
; v2 is t: tensor-parallel degree
; v3 is b: sequences of an inference batch
; v4 is c: visible tokens of each sequence, the step's new ones included
; v5 is d: head width
; v6 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (* 2 v3 v4 v5 v6 v1 v2) (+ (* (- 2) v3 v5 v6 v0) (* 2 v3 v5 v6 v0 v4)))))
(check-sat)
