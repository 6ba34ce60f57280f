; law total-activation-gradient (one element more written) of rule training.total
; all activation gradient tasks together do the closed total
; a false variant: satisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is F: feed-forward width
; v4 is F_t: feed-forward width of one rank, F = t F_t
; v5 is B: sequences in a microbatch
; v6 is H: hidden width
; v7 is S: sequence length
; v8 is e: width of one element
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
(assert (not (= (+ (* 2 v5 v6 v7 v8 v2) (* v5 v6 v7 v8 v2) (* v5 v4 v7 v8 v2) (* v5 v4 v7 v8 v2) (* v5 v6 v7 v8 v2) (* v5 v6 v7 v8 v2) (* v5 v6 v7 v8 v2) (* v5 v6 v7 v8 v2) (* 2 v5 v6 v7 v8 v2) (* v5 v6 v7 v8 v2) (* v5 v7 v9 v8 v1 v2) (* v5 v8 v1 v7 v7 v2) (* v5 v8 v1 v7 v9 v2) (* v5 v7 v7 v8 v1 v2) (* v5 v7 v7 v8 v1 v2) (* 2 v5 v7 v9 v8 v1 v2) (* v5 v6 v7 v8 v2) (* v5 v6 v7 v8 v2) (* v5 v6 v7 v8 v2) (* v5 v6 v7 v8 v2) (* v5 v6 v7 v8 v2) (* v5 v6 v7 v8 v2) (* v5 v6 v7 v8 v2)) (+ v8 (* 2 v8 v5 v3 v7) (* 3 v8 v5 v7 v7 v0) (* 15 v8 v5 v6 v7 v2) (* 4 v8 v5 v7 v9 v0) (* 2 v5 v6 v7 v8 v2)))))
(check-sat)
