; law gradient-memory (by stage) of rule planning.memory
; C_g = g N, from ZeRO stage 2 g n_D
; true for all parameters: unsatisfiable
; v0 is g: width of one gradient element
; v1 is H: hidden width
; v2 is F_t: feed-forward width of one rank, F = t F_t
; v3 is d: head width
; v4 is h_t: query heads of one rank, h = t h_t
; v5 is k_t: key/value heads of one rank, k = t k_t
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (not (= (+ (* 4 v0 v1) (* 2 v0 v2 v1) (* 2 v0 v1 v3 v4) (* 2 v0 v1 v3 v5)) (+ (* 4 v1 v0) (* 2 v2 v1 v0) (* 2 v1 v3 v4 v0) (* 2 v1 v3 v5 v0)))))
(check-sat)
