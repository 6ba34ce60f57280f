; law work-conservation (projection) of rule planning.task
; (F, R, W, M) of a portable task = (F, R, W, M) of its distributed task
; true for all parameters: unsatisfiable
; v0 is W: arithmetic operations of a law's group of tasks
; v1 is Q_r: bytes read by a law's group of tasks
; v2 is Q_w: bytes written by a law's group of tasks
; v3 is M: message bytes of a law's group of tasks
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (! (<= 0 v0) :named h0))
(assert (! (<= 0 v1) :named h1))
(assert (! (<= 0 v2) :named h2))
(assert (! (<= 0 v3) :named h3))
(assert (not (and (= v0 v0) (= v1 v1) (= v2 v2) (= v3 v3))))
(check-sat)
