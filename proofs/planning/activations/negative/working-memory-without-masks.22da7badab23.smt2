; law working-memory (without masks) of rule planning.activations
; C_work = the bytes made again that gradients read: gathered shards, and what recompute makes
; a false variant: satisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is B: sequences in a microbatch
; v4 is S: sequence length
; v5 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (+ (* v3 v4 v4 v1 v2) (* 2 v3 v4 v4 v5 v1 v2)) (* 2 v3 v4 v4 v5 v0))))
(check-sat)
