; law working-memory (shards for what is gathered) of rule planning.activations
; C_work = the bytes made again that gradients read: gathered shards, and what recompute makes
; a false variant: satisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is S: sequence length
; v4 is S_t: sequence length of one rank, S = t S_t
; v5 is B: sequences in a microbatch
; v6 is H: hidden width
; v7 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(declare-const v7 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (! (= v3 (* v4 v2)) :named h1))
(assert (not (= (+ (* v5 v4 v4 v1 v2 v2 v2) (* 2 v5 v6 v4 v7 v2 v2) (* 2 v5 v4 v4 v7 v1 v2 v2 v2)) (+ (* v5 v3 v3 v0) (* 2 v5 v3 v3 v7 v0) (* 2 v5 v6 v3 v7 v2) (* 2 v5 v6 v3 v7) (* (- 2) v5 v6 v3 v7 v2)))))
(check-sat)
