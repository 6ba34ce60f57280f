; law fused-implementation (any page table) of rule planning.fused_attention
; an implementation that writes no scores needs at most the workspace of the plan: any page table
; a false variant: satisfiable
; v0 is b: sequences of an inference batch
; v1 is c: visible tokens of each sequence, the step's new ones included
; v2 is e: width of one element
; v3 is h_t: query heads of one rank, h = t h_t
; v4 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (! (<= 1 v0) :named h0))
(assert (! (<= 1 v1) :named h1))
(assert (! (<= 1 v2) :named h2))
(assert (! (<= 1 v3) :named h3))
(assert (! (<= 1 v4) :named h4))
(assert (not (<= (* 4 v0 v1) (* v0 v1 v2 v3 v4))))
(check-sat)
