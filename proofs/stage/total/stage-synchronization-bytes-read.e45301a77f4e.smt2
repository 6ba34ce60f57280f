; law stage-synchronization (bytes read) of rule stage.total
; M = g N + {0, e N, e N, 2 e N} at ZeRO stages 0 to 3, and g v if the sequence is divided
; true for all parameters: unsatisfiable
; v0 is g: width of one gradient element
; v1 is H: hidden width
; v2 is F_t: feed-forward width of one rank, F = t F_t
; v3 is d: head width
; v4 is h_t: query heads of one rank, h = t h_t
; v5 is k_t: key/value heads of one rank, k = t k_t
; v6 is e: width of one element
; v7 is n_D: largest share of a rank's parameters over the data-parallel group
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(declare-const v7 Int)
(assert (not (= (+ (* 4 v0 v1) (* 2 v0 v2 v1) (* 2 v0 v1 v3 v4) (* 2 v0 v1 v3 v5) (* v6 v7) (* v6 v7)) (+ (* 4 v1 v0) (* 2 v2 v1 v0) (* 2 v1 v3 v4 v0) (* 2 v1 v3 v5 v0) (* 2 v6 v7)))))
(check-sat)
