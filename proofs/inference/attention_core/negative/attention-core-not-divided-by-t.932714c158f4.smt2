; law attention-core (not divided by t) of rule inference.attention_core
; W_attention = 4 b q c H / t + 5 b (h/t) q c
; a false variant: satisfiable
; v0 is h: query heads
; v1 is h_t: query heads of one rank, h = t h_t
; v2 is t: tensor-parallel degree
; v3 is b: sequences of an inference batch
; v4 is c: visible tokens of each sequence, the step's new ones included
; v5 is d: head width
; v6 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (+ (* 2 v3 v4 v5 v1 v6) (* 5 v3 v4 v1 v6) (* 2 v3 v4 v5 v1 v6)) (+ (* 5 v3 v4 v0 v6) (* 4 v3 v4 v5 v0 v6)))))
(check-sat)
