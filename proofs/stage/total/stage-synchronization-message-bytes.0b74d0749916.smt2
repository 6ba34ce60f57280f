; law stage-synchronization (message bytes) of rule stage.total
; M = g N + {0, e N, e N, 2 e N} at ZeRO stages 0 to 3, and g v if the sequence is divided
; true for all parameters: unsatisfiable
; v0 is H: hidden width
; v1 is g: width of one gradient element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (not (= (* 6 v0 v1) (* 6 v0 v1))))
(check-sat)
