; law backward-doubles (three times) of rule training.block
; the two gradients of every matrix product do twice its forward work
; a false variant: satisfiable
; v0 is B: sequences in a microbatch
; v1 is S: sequence length
; v2 is d: head width
; v3 is h_t: query heads of one rank, h = t h_t
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (= (* 4 v0 v1 v1 v2 v3) (* 6 v0 v1 v1 v2 v3))))
(check-sat)
