; law inference-total (bytes read) of rule inference.total
; all tasks of a step together do the closed total
; true for all parameters: unsatisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is F: feed-forward width
; v4 is F_t: feed-forward width of one rank, F = t F_t
; v5 is k: key/value heads
; v6 is k_t: key/value heads of one rank, k = t k_t
; v7 is H: hidden width
; v8 is e: width of one element
; v9 is b: sequences of an inference batch
; v10 is q: new tokens of each sequence in a step of inference
; v11 is d: head width
; v12 is c: visible tokens of each sequence, the step's new ones included
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
(declare-const v10 Int)
(declare-const v11 Int)
(declare-const v12 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (! (= v3 (* v4 v2)) :named h1))
(assert (! (= v5 (* v6 v2)) :named h2))
(assert (not (= (+ (* 2 v7 v8 v2) (* v7 v9 v8 v10 v2) (* v8 v7 v9 v10 v2) (* v8 v7 v11 v1 v2) (* v8 v7 v9 v10 v2) (* v8 v7 v11 v6 v2) (* v8 v7 v9 v10 v2) (* v8 v7 v11 v6 v2) (* v9 v8 v1 v12 v11 v2) (* v9 v8 v1 v11 v10 v2) (* v9 v12 v8 v1 v10 v2) (* v9 v8 v1 v12 v11 v2) (* v9 v8 v1 v12 v10 v2) (* v8 v7 v11 v1 v2) (* v8 v9 v11 v1 v10 v2) (* v7 v9 v8 v10 v2) (* 2 v7 v9 v8 v10 v2) (* 2 v7 v8 v2) (* v7 v9 v8 v10 v2) (* v8 v4 v7 v2) (* v8 v7 v9 v10 v2) (* v4 v9 v8 v10 v2) (* v8 v4 v7 v2) (* v8 v4 v9 v10 v2) (* v7 v9 v8 v10 v2) (* 2 v7 v9 v8 v10 v2)) (+ (* 2 v8 v3 v7) (* 4 v8 v7 v2) (* 2 v8 v3 v9 v10) (* 2 v8 v7 v11 v0) (* 2 v8 v7 v11 v5) (* 12 v8 v7 v9 v10 v2) (* 2 v8 v9 v12 v11 v0) (* 2 v8 v9 v12 v0 v10) (* 2 v8 v9 v11 v0 v10)))))
(check-sat)
