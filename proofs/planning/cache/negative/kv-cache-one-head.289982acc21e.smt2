; law kv-cache (one head) of rule planning.cache
; C_KV = 2 b c (H/t) e
; a false variant: satisfiable
; v0 is b: sequences of an inference batch
; v1 is c: visible tokens of each sequence, the step's new ones included
; v2 is d: head width
; v3 is e: width of one element
; v4 is k_t: key/value heads of one rank, k = t k_t
; v5 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (not (= (* 2 v0 v1 v2 v3 v4 v5) (* 2 v0 v1 v2 v3))))
(check-sat)
