; law four-wide (share of all heads) of rule training.block
; F = 4H on the whole is F_t = 4 h_t d on every rank of a classical block: share of all heads
; a false variant: satisfiable
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
(assert (not (= v4 (* 4 v6 v0))))
(check-sat)
