; law mlp (F = 4H assumed) of rule training.mlp
; W_MLP = 4 B S H F / t
; a false variant: satisfiable
; v0 is B: sequences in a microbatch
; v1 is F_t: feed-forward width of one rank, F = t F_t
; v2 is H: hidden width
; v3 is S: sequence length
; v4 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (+ (* 2 v0 v1 v2 v3 v4) (* 2 v0 v1 v2 v3 v4)) (* 16 v0 v2 v2 v3))))
(check-sat)
