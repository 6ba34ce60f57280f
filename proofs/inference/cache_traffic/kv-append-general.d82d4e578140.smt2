; law kv-append (general) of rule inference.cache_traffic
; K_w = 2 b q k d e / t
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is k: key/value heads
; v2 is k_t: key/value heads of one rank, k = t k_t
; v3 is b: sequences of an inference batch
; v4 is d: head width
; v5 is e: width of one element
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
(assert (not (= (+ (* v3 v4 v5 v2 v6 v0) (* v3 v4 v5 v2 v6 v0)) (* 2 v3 v4 v5 v1 v6))))
(check-sat)
