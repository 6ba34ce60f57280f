; law queue-order (no cycle: two edges lead to a greater index) of rule binding.queue
; position of t_i in its queue = number of its tasks among t_0, ..., t_{i-1}: no cycle: two edges lead to a greater index
; true for all parameters: unsatisfiable
; v0 is T_i: topological index of task i
; v1 is T_j: topological index of task j
; v2 is T_k: topological index of task k
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (! (< v0 v1) :named h0))
(assert (! (< v1 v2) :named h1))
(assert (! (<= 0 v0) :named h2))
(assert (! (<= 0 v1) :named h3))
(assert (! (<= 0 v2) :named h4))
(assert (not (< v0 v2)))
(check-sat)
