; law inference-mlp (not divided by t) of rule inference.mlp
; W_MLP = 4 b q H F / t
; a false variant: satisfiable
; v0 is F: feed-forward width
; v1 is F_t: feed-forward width of one rank, F = t F_t
; v2 is t: tensor-parallel degree
; v3 is H: hidden width
; v4 is b: sequences of an inference batch
; v5 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (+ (* 2 v1 v3 v4 v5) (* 2 v1 v3 v4 v5)) (* 4 v0 v3 v4 v5))))
(check-sat)
