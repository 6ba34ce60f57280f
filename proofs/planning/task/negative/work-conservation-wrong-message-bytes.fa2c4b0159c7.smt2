; law work-conservation (wrong message_bytes) of rule planning.task
; (F, R, W, M) of a portable task = (F, R, W, M) of its distributed task
; a false variant: satisfiable
; v0 is M: message bytes of a law's group of tasks
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (! (<= 0 v0) :named h0))
(assert (not (= v0 (+ 1 v0))))
(check-sat)
