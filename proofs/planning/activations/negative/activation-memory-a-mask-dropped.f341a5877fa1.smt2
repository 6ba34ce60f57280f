; law activation-memory (a mask dropped) of rule planning.activations
; C_act = sum over layers of (A - O [output not stored] - A [activation not stored])
; a false variant: satisfiable
; v0 is t: tensor-parallel degree
; v1 is B: sequences in a microbatch
; v2 is H: hidden width
; v3 is S: sequence length
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (= (* 0 v0) (* (- 1) v1 v2 v3 v0))))
(check-sat)
