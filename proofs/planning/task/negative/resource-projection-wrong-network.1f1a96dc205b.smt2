; law resource-projection (wrong network) of rule planning.task
; Q_compute = F, Q_memory = R + W, Q_network = M
; a false variant: satisfiable
; v0 is M: message bytes of a law's group of tasks
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (! (<= 0 v0) :named h0))
(assert (not (= v0 (* 2 v0))))
(check-sat)
