; law activation-memory (masks of e bytes) of rule planning.activations
; C_act = sum over layers of (A - O [output not stored] - A [activation not stored])
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
(assert (not (= (* 0 v2) (+ (* (- 1) v3 v4 v4 v0) (* v3 v4 v4 v0 v5)))))
(check-sat)
