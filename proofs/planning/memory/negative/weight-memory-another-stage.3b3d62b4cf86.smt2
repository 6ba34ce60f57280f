; law weight-memory (another stage) of rule planning.memory
; C_w = e N, at ZeRO stage 3 e n
; a false variant: satisfiable
; v0 is N: parameters of one rank
; v1 is D: data-parallel degree
; v2 is n_D: largest share of a rank's parameters over the data-parallel group
; v3 is e: width of one element
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (! (<= v0 (* v1 v2)) :named h0))
(assert (! (< (+ (* (- 1) v1) (* v1 v2)) v0) :named h1))
(assert (! (<= 1 v0) :named h2))
(assert (! (<= 1 v1) :named h3))
(assert (! (<= 1 v2) :named h4))
(assert (! (<= 1 v3) :named h5))
(assert (not (= (* v0 v3) (* v3 v2))))
(check-sat)
