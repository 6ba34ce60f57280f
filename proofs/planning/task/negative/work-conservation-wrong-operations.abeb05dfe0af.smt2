; law work-conservation (wrong operations) of rule planning.task
; (F, R, W, M) of a portable task = (F, R, W, M) of its distributed task
; a false variant: satisfiable
; v0 is W: arithmetic operations of a law's group of tasks
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (! (<= 0 v0) :named h0))
(assert (not (= v0 (* 2 v0))))
(check-sat)
