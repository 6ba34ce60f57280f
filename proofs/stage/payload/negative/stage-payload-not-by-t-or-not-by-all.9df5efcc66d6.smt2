; law stage-payload (not by t, or not by all) of rule stage.payload
; M = B S H e at every edge of a stage, divided by t with the sequence; in inference b q H e
; a false variant: satisfiable
; v0 is B: sequences in a microbatch
; v1 is H: hidden width
; v2 is S: sequence length
; v3 is e: width of one element
; v4 is t: tensor-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (not (= (* v0 v1 v2 v3) (* v0 v1 v2 v3 v4))))
(check-sat)
