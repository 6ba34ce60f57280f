; law tp-reduce (not divided by t) of rule training.tensor_collective
; W_reduce = B S H (t - 1) / t
; a false variant: satisfiable
; v0 is R: elements of one rank's shard of a B S H tensor, B S H = t R
; v1 is t: tensor-parallel degree
; v2 is B: sequences in a microbatch
; v3 is H: hidden width
; v4 is S: sequence length
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (! (= (* v0 v1) (* v2 v3 v4)) :named h0))
(assert (not (= (+ (* (- 1) v0) (* v0 v1)) (+ (* (- 1) v2 v3 v4) (* v2 v3 v4 v1)))))
(check-sat)
