; law kv-cache (classical, tensor by tensor) of rule planning.cache
; C_KV = 2 b c (H/t) e
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is h: query heads
; v2 is h_t: query heads of one rank, h = t h_t
; v3 is k_t: key/value heads of one rank, k = t k_t
; v4 is H: hidden width
; v5 is d: head width
; v6 is b: sequences of an inference batch
; v7 is c: visible tokens of each sequence, the step's new ones included
; v8 is e: width of one element
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
(assert (! (= v0 1) :named h0))
(assert (! (= v1 v2) :named h1))
(assert (! (= v3 v2) :named h2))
(assert (! (= v4 (* v5 v1)) :named h3))
(assert (not (= (+ (* v6 v7 v5 v3 v8 v0) (* v6 v7 v5 v3 v8 v0)) (* 2 v4 v6 v7 v8))))
(check-sat)
