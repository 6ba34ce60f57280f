; law four-wide (whole) of rule training.block
; F = 4H on the whole is F_t = 4 h_t d on every rank of a classical block: whole
; true for all parameters: unsatisfiable
; v0 is F_t: feed-forward width of one rank, F = t F_t
; v1 is d: head width
; v2 is h_t: query heads of one rank, h = t h_t
; v3 is h: query heads
; v4 is t: tensor-parallel degree
; v5 is F: feed-forward width
; v6 is H: hidden width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(assert (! (= v0 (* 4 v1 v2)) :named h0))
(assert (! (= v3 (* v2 v4)) :named h1))
(assert (! (= v5 (* v0 v4)) :named h2))
(assert (! (= v6 (* v1 v3)) :named h3))
(assert (not (= v5 (* 4 v6))))
(check-sat)
