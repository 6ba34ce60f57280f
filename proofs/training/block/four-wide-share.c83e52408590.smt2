; law four-wide (share) of rule training.block
; F = 4H on the whole is F_t = 4 h_t d on every rank of a classical block: share
; true for all parameters: unsatisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is F: feed-forward width
; v4 is F_t: feed-forward width of one rank, F = t F_t
; v5 is H: hidden width
; v6 is d: head width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (! (= v3 (* v4 v2)) :named h1))
(assert (! (= v5 (* v6 v0)) :named h2))
(assert (! (= v3 (* 4 v5)) :named h3))
(assert (! (<= 1 v0) :named h4))
(assert (! (<= 1 v1) :named h5))
(assert (! (<= 1 v2) :named h6))
(assert (! (<= 1 v3) :named h7))
(assert (! (<= 1 v4) :named h8))
(assert (! (<= 1 v5) :named h9))
(assert (! (<= 1 v6) :named h10))
(assert (not (= v4 (* 4 v6 v1))))
(check-sat)
