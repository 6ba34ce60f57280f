; law total-optimizer (bytes written) of rule training.total
; all optimizer tasks together do the closed total
; true for all parameters: unsatisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is F: feed-forward width
; v4 is F_t: feed-forward width of one rank, F = t F_t
; v5 is k: key/value heads
; v6 is k_t: key/value heads of one rank, k = t k_t
; v7 is e: width of one element
; v8 is H: hidden width
; v9 is d: head width
; v10 is o: optimizer state of one parameter: fp32 master copy and two moments
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
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (! (= v3 (* v4 v2)) :named h1))
(assert (! (= v5 (* v6 v2)) :named h2))
(assert (not (= (+ (* 4 v7 v8 v2) (* 2 v7 v4 v8 v2) (* 2 v7 v8 v9 v1 v2) (* 2 v7 v8 v9 v6 v2) (* 4 v10 v8 v2) (* 2 v10 v4 v8 v2) (* 2 v10 v8 v9 v1 v2) (* 2 v10 v8 v9 v6 v2)) (+ (* 2 v7 v3 v8) (* 4 v7 v8 v2) (* 2 v7 v8 v9 v0) (* 2 v7 v8 v9 v5) (* 2 v10 v3 v8) (* 4 v10 v8 v2) (* 2 v10 v8 v9 v0) (* 2 v10 v8 v9 v5)))))
(check-sat)
