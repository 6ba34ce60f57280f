; law parameters (general, tensor by tensor) of rule planning.weights
; N = (2H(h + k)d + 2HF)/t + 4H, and (hd + 2kd + F)/t + 2H with biases
; true for all parameters: unsatisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is F: feed-forward width
; v4 is F_t: feed-forward width of one rank, F = t F_t
; v5 is k: key/value heads
; v6 is k_t: key/value heads of one rank, k = t k_t
; v7 is H: hidden width
; v8 is d: head width
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
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (! (= v3 (* v4 v2)) :named h1))
(assert (! (= v5 (* v6 v2)) :named h2))
(assert (not (= (+ (* v7 v2) (* v7 v2) (* v7 v8 v1 v2) (* v7 v8 v6 v2) (* v7 v8 v6 v2) (* v7 v8 v1 v2) (* v7 v2) (* v7 v2) (* v4 v7 v2) (* v4 v7 v2)) (+ (* 2 v3 v7) (* 4 v7 v2) (* 2 v7 v8 v0) (* 2 v7 v8 v5)))))
(check-sat)
