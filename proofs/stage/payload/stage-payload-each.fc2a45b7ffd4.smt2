; law stage-payload (each) of rule stage.payload
; M = B S H e at every edge of a stage, divided by t with the sequence; in inference b q H e
; true for all parameters: unsatisfiable
; v0 is t: tensor-parallel degree
; v1 is S: sequence length
; v2 is S_t: sequence length of one rank, S = t S_t
; v3 is B: sequences in a microbatch
; v4 is H: hidden width
; v5 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (= v0 1) :named h0))
(assert (! (= v1 v2) :named h1))
(assert (not (= (* v3 v4 v2 v5 v0) (* v3 v4 v1 v5))))
(check-sat)
