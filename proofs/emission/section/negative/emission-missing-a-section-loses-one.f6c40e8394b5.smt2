; law emission (missing: a section loses one) of rule emission.section
; base_0 = 0, base_{k+1} = base_k + length_k: missing: a section loses one
; a false variant: satisfiable
; v0 is B_k: instructions before section k
; v1 is L_k: instructions of section k
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (<= 0 v0) :named h0))
(assert (! (<= 0 v1) :named h1))
(assert (not (= (+ 1 v0 v1) (+ v0 v1))))
(check-sat)
