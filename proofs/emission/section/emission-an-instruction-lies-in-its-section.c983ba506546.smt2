; law emission (an instruction lies in its section) of rule emission.section
; base_0 = 0, base_{k+1} = base_k + length_k: an instruction lies in its section
; true for all parameters: unsatisfiable
; v0 is p_k: position of an instruction in section k
; v1 is L_k: instructions of section k
; v2 is B_k: instructions before section k
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (! (< v0 v1) :named h0))
(assert (! (<= 0 v0) :named h1))
(assert (! (<= 0 v1) :named h2))
(assert (! (<= 0 v2) :named h3))
(assert (not (< (+ v2 v0) (+ v2 v1))))
(check-sat)
