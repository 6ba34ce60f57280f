; law inference-reduce (each) of rule inference.tensor_collective
; W_reduce = b q H (t - 1) / t
; true for all parameters: unsatisfiable
; v0 is R: elements of one rank's shard of a B S H tensor, B S H = t R
; v1 is t: tensor-parallel degree
; v2 is H: hidden width
; v3 is b: sequences of an inference batch
; v4 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (! (= (* v0 v1) (* v2 v3 v4)) :named h0))
(assert (not (= (+ (* (- 1) v0 v1) (* v0 v1 v1)) (+ (* (- 1) v2 v3 v4) (* v2 v3 v4 v1)))))
(check-sat)
