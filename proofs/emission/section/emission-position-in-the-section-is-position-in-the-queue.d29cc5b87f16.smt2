; law emission (position in the section is position in the queue) of rule emission.section
; address = base + position, base_0 = 0, base_{k+1} = base_k + length_k: position in the section is position in the queue
; true for all parameters: unsatisfiable
; v0 is B_k: instructions before section k
; v1 is p_k: position of an instruction in section k
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (<= 0 v0) :named h0))
(assert (! (<= 0 v1) :named h1))
(assert (not (= (+ v0 v1) (+ v0 v1))))
(check-sat)
