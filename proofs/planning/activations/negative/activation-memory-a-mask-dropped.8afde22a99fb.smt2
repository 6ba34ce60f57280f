; law activation-memory (a mask dropped) of rule planning.activations
; C_act = sum over layers of (A - O [output not stored] - A [activation not stored])
; a false variant: satisfiable
; v0 is S: sequence length
; v1 is S_t: sequence length of one rank, S = t S_t
; v2 is t: tensor-parallel degree
; v3 is B: sequences in a microbatch
; v4 is H: hidden width
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (! (= v0 (* v1 v2)) :named h0))
(assert (not (= (* 0 v2) (* (- 1) v3 v4 v0))))
(check-sat)
