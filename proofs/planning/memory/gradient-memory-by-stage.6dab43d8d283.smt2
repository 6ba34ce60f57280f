; law gradient-memory (by stage) of rule planning.memory
; C_g = g N, from ZeRO stage 2 g n_D
; true for all parameters: unsatisfiable
; v0 is F_t: feed-forward width of one rank, F = t F_t
; v1 is H: hidden width
; v2 is d: head width
; v3 is h_t: query heads of one rank, h = t h_t
; v4 is k_t: key/value heads of one rank, k = t k_t
; v5 is D: data-parallel degree
; v6 is n_D: largest share of a rank's parameters over the data-parallel group
; v7 is g: width of one gradient element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(declare-const v7 Int)
(assert (! (<= (+ v0 (* 6 v1) (* 2 v0 v1) (* v2 v3) (* 2 v2 v4) (* 2 v1 v2 v3) (* 2 v1 v2 v4)) (* v5 v6)) :named h0))
(assert (! (< (+ (* (- 1) v5) (* v5 v6)) (+ v0 (* 6 v1) (* 2 v0 v1) (* v2 v3) (* 2 v2 v4) (* 2 v1 v2 v3) (* 2 v1 v2 v4))) :named h1))
(assert (! (<= 1 v0) :named h2))
(assert (! (<= 1 v1) :named h3))
(assert (! (<= 1 v2) :named h4))
(assert (! (<= 1 v3) :named h5))
(assert (! (<= 1 v4) :named h6))
(assert (! (<= 1 v5) :named h7))
(assert (! (<= 1 v6) :named h8))
(assert (! (<= 1 v7) :named h9))
(assert (not (= (* v7 v6) (* v7 v6))))
(check-sat)
