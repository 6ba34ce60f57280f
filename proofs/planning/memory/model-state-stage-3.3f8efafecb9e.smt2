; law model-state (stage 3) of rule planning.memory
; a higher ZeRO stage never needs more, all agree at D = 1, and the shares are the whole: stage 3
; true for all parameters: unsatisfiable
; v0 is N: parameters of one rank
; v1 is D: data-parallel degree
; v2 is n_D: largest share of a rank's parameters over the data-parallel group
; v3 is e: width of one element
; v4 is g: width of one gradient element
; v5 is o: optimizer state of one parameter: fp32 master copy and two moments
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (<= v0 (* v1 v2)) :named h0))
(assert (! (< (+ (* (- 1) v1) (* v1 v2)) v0) :named h1))
(assert (! (<= 1 v0) :named h2))
(assert (! (<= 1 v1) :named h3))
(assert (! (<= 1 v2) :named h4))
(assert (! (<= 1 v3) :named h5))
(assert (! (<= 1 v4) :named h6))
(assert (! (<= 1 v5) :named h7))
(assert (not (= (+ (* v3 v2) (* v4 v2) (* v2 v5)) (+ (* v2 v3) (* v2 v4) (* v2 v5)))))
(check-sat)
