; law fused-implementation (heads of one byte) of rule planning.fused_attention
; an implementation that writes no scores needs at most the workspace of the plan: heads of one byte
; a false variant: satisfiable
; v0 is h_t: query heads of one rank, h = t h_t
; v1 is k_t: key/value heads of one rank, k = t k_t
; v2 is b: sequences of an inference batch
; v3 is q: new tokens of each sequence in a step of inference
; v4 is d: head width
; v5 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (= v0 v1) :named h0))
(assert (! (<= 1 v0) :named h1))
(assert (! (<= 1 v1) :named h2))
(assert (! (<= 1 v2) :named h3))
(assert (! (<= 1 v3) :named h4))
(assert (! (<= 1 v4) :named h5))
(assert (! (<= 1 v5) :named h6))
(assert (not (<= (+ (* 4 v2 v0 v3) (* v2 v0 v3 v4 v5)) (+ (* v2 v4 v5 v3 v0) (* 2 v2 v4 v5 v3 v1)))))
(check-sat)
