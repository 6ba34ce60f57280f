; law inference-mlp (general) of rule inference.mlp
; W_MLP = 4 b q H F / t
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is F: feed-forward width
; v2 is F_t: feed-forward width of one rank, F = t F_t
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
(assert (! (= v0 1) :named h0))
(assert (! (= v1 v2) :named h1))
(assert (not (= (+ (* 2 v2 v3 v4 v5 v0) (* 2 v2 v3 v4 v5 v0)) (* 4 v1 v3 v4 v5))))
(check-sat)
