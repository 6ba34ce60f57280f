; law emission (reordered) of rule emission.section
; address = base + position, base_0 = 0, base_{k+1} = base_k + length_k: reordered
; a false variant: satisfiable
; v0 is p_j: position of an earlier task of that queue
; v1 is p_k: position of an instruction in section k
; v2 is B_k: instructions before section k
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (! (< v0 v1) :named h0))
(assert (! (<= 0 v0) :named h1))
(assert (! (<= 0 v1) :named h2))
(assert (! (<= 0 v2) :named h3))
(assert (not (< (+ v2 v1) (+ v2 v0))))
(check-sat)
