; law resource-projection (wrong compute) of rule planning.task
; Q_compute = F, Q_memory = R + W, Q_network = M
; a false variant: satisfiable
; v0 is W: arithmetic operations of a law's group of tasks
(set-logic QF_NIA)
(declare-const v0 Int)
(assert (! (<= 0 v0) :named h0))
(assert (not (= v0 (+ 1 v0))))
(check-sat)
