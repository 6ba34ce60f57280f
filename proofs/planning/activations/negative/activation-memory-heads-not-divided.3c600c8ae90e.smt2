; law activation-memory (heads not divided) of rule planning.activations
; C_act = sum over layers of (A - O [output not stored] - A [activation not stored])
; a false variant: satisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is k: key/value heads
; v4 is k_t: key/value heads of one rank, k = t k_t
; v5 is S: sequence length
; v6 is S_t: sequence length of one rank, S = t S_t
; v7 is e: width of one element
; v8 is B: sequences in a microbatch
; v9 is d: head width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(declare-const v7 Int)
(declare-const v8 Int)
(declare-const v9 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (! (= v3 (* v4 v2)) :named h1))
(assert (! (= v5 (* v6 v2)) :named h2))
(assert (not (= (* 0 v2) (+ (* (- 2) v7 v8 v5 v9 v0) (* (- 2) v7 v8 v5 v9 v3) (* 2 v7 v2 v8 v5 v9 v0) (* 2 v7 v2 v8 v5 v9 v3)))))
(check-sat)
