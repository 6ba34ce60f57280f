; law stage-synchronization (sums on every rank) of rule stage.total
; M = g N + {0, e N, e N, 2 e N} at ZeRO stages 0 to 3, and g v if the sequence is divided
; a false variant: satisfiable
; v0 is n_D: largest share of a rank's parameters over the data-parallel group
; v1 is D: data-parallel degree
; v2 is H: hidden width
; v3 is F_t: feed-forward width of one rank, F = t F_t
; v4 is d: head width
; v5 is h_t: query heads of one rank, h = t h_t
; v6 is k_t: key/value heads of one rank, k = t k_t
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(assert (not (= (+ (* (- 1) v0) (* v0 v1)) (+ (* (- 1) v0) (* v0 v1) (* (- 4) v2) (* (- 2) v3 v2) (* (- 2) v2 v4 v5) (* (- 2) v2 v4 v6) v0 (* 4 v1 v2) (* 2 v1 v3 v2) (* 2 v1 v2 v4 v5) (* 2 v1 v2 v4 v6) (* (- 1) v1 v0)))))
(check-sat)
