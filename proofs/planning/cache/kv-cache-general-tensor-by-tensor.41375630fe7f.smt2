; law kv-cache (general, tensor by tensor) of rule planning.cache
; C_KV = 2 b c k d e / t
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is k: key/value heads
; v2 is k_t: key/value heads of one rank, k = t k_t
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
(assert (! (= v0 1) :named h0))
(assert (! (= v1 v2) :named h1))
(assert (not (= (+ (* v3 v4 v5 v2 v6 v0) (* v3 v4 v5 v2 v6 v0)) (* 2 v3 v4 v5 v6 v1))))
(check-sat)
