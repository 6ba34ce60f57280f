; law fused-implementation (a page table is at most the scores) of rule planning.fused_attention
; an implementation that writes no scores needs at most the workspace of the plan: a page table is at most the scores
; true for all parameters: unsatisfiable
; v0 is e: width of one element
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is q: new tokens of each sequence in a step of inference
; v3 is b: sequences of an inference batch
; v4 is c: visible tokens of each sequence, the step's new ones included
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (! (<= 4 (* v0 v1 v2)) :named h0))
(assert (! (<= 1 v0) :named h1))
(assert (! (<= 1 v1) :named h2))
(assert (! (<= 1 v2) :named h3))
(assert (! (<= 1 v3) :named h4))
(assert (! (<= 1 v4) :named h5))
(assert (not (<= (* 4 v3 v4) (* v3 v4 v0 v1 v2))))
(check-sat)
