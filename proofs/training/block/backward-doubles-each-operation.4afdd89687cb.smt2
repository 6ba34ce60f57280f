; law backward-doubles (each operation) of rule training.block
; the two gradients of every matrix product do twice its forward work
; true for all parameters: unsatisfiable
; v0 is B: sequences in a microbatch
; v1 is H: hidden width
; v2 is S_t: sequence length of one rank, S = t S_t
; v3 is d: head width
; v4 is k_t: key/value heads of one rank, k = t k_t
; v5 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (not (= (+ (* 2 v0 v1 v2 v3 v4 v5) (* 2 v0 v1 v2 v3 v4 v5)) (* 4 v0 v1 v2 v3 v4 v5))))
(check-sat)
