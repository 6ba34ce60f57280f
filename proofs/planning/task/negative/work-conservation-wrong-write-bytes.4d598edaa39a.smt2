; law work-conservation (wrong write_bytes) of rule planning.task
; (F, R, W, M) of a portable task = (F, R, W, M) of its distributed task
; a false variant: satisfiable
; v0 is Q_w: bytes written by a law's group of tasks
; v1 is Q_r: bytes read by a law's group of tasks
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (<= 0 v0) :named h0))
(assert (! (<= 0 v1) :named h1))
(assert (not (= v0 (+ v1 v0))))
(check-sat)
