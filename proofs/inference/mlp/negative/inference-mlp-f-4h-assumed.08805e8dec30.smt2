; law inference-mlp (F = 4H assumed) of rule inference.mlp
; W_MLP = 4 b q H F / t
; a false variant: satisfiable
; v0 is F_t: feed-forward width of one rank, F = t F_t
; v1 is H: hidden width
; v2 is b: sequences of an inference batch
; v3 is q: new tokens of each sequence in a step of inference
; v4 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (+ (* 2 v0 v1 v2 v3 v4) (* 2 v0 v1 v2 v3 v4)) (* 16 v1 v1 v2 v3))))
(check-sat)
