; law backward-doubles (each operation) of rule training.block
; the two gradients of every matrix product do twice its forward work
; true for all parameters: unsatisfiable
; v0 is B: sequences in a microbatch
; v1 is F_t: feed-forward width of one rank, F = t F_t
; v2 is H: hidden width
; v3 is S_t: sequence length of one rank, S = t S_t
; v4 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (+ (* 2 v0 v1 v2 v3 v4) (* 2 v0 v1 v2 v3 v4)) (* 4 v0 v1 v2 v3 v4))))
(check-sat)
