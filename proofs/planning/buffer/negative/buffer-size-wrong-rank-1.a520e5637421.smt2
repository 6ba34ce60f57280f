; law buffer-size (wrong rank 1) of rule planning.buffer
; C = elements * width
; a false variant: satisfiable
; v0 is B: sequences in a microbatch
; v1 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (= (* v0 v1) (+ v1 (* v0 v1)))))
(check-sat)
