; law kv-elsewhere (one element less appended) of rule inference.cache_traffic
; no other task reads or appends a cache
; a false variant: satisfiable
; v0 is k: key/value heads
; v1 is k_t: key/value heads of one rank, k = t k_t
; v2 is t: tensor-parallel degree
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
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (+ (* v3 v4 v5 v1 v6 v2) (* v3 v4 v5 v1 v6 v2)) (+ (* (- 1) v5) (* 2 v3 v4 v5 v0 v6)))))
(check-sat)
