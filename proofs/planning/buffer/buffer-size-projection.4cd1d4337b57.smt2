; law buffer-size (projection) of rule planning.buffer
; C = elements * width
; true for all parameters: unsatisfiable
; v0 is B: sequences in a microbatch
; v1 is e: width of one element
; v2 is S: sequence length
; v3 is h: query heads
; v4 is d: head width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (and (= (* v0 v1) (* v0 v1)) (= (* v0 v2 v1) (* v0 v2 v1)) (= (* v0 v2 v1 v3) (* v0 v2 v1 v3)) (= (* v0 v2 v4 v1 v3) (* v0 v2 v4 v1 v3)))))
(check-sat)
