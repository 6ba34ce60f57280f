; law buffer-size (wrong rank 4) of rule planning.buffer
; C = elements * width
; a false variant: satisfiable
; v0 is B: sequences in a microbatch
; v1 is S: sequence length
; v2 is d: head width
; v3 is e: width of one element
; v4 is h: query heads
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (* v0 v1 v2 v3 v4) (* v0 v3))))
(check-sat)
