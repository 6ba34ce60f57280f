; law model-state (stage 0) of rule planning.memory
; a higher ZeRO stage never needs more, all agree at D = 1, and the shares are the whole: stage 0
; true for all parameters: unsatisfiable
; v0 is N: parameters of one rank
; v1 is e: width of one element
; v2 is g: width of one gradient element
; v3 is o: optimizer state of one parameter: fp32 master copy and two moments
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (= (+ (* v0 v1) (* v0 v2) (* v0 v3)) (+ (* v0 v1) (* v0 v2) (* v0 v3)))))
(check-sat)
