; law queue-order (stable in queue 3: earlier tasks keep smaller positions than the count) of rule binding.queue
; position of t_i in its queue = number of its tasks among t_0, ..., t_{i-1}: stable in queue 3: earlier tasks keep smaller positions than the count
; true for all parameters: unsatisfiable
; v0 is b_4: 1 if task i belongs to the host queue, else 0
; v1 is b_1: 1 if task i belongs to the compute queue, else 0
; v2 is b_2: 1 if task i belongs to the collective queue, else 0
; v3 is b_3: 1 if task i belongs to the transfer queue, else 0
; v4 is p_j: position of an earlier task of that queue
; v5 is n_3: tasks in the transfer queue before task i
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (! (= v0 (+ 1 (* (- 1) v1) (* (- 1) v2) (* (- 1) v3))) :named h0))
(assert (! (< v4 v5) :named h1))
(assert (! (<= 0 v0) :named h2))
(assert (! (<= 0 v1) :named h3))
(assert (! (<= 0 v2) :named h4))
(assert (! (<= 0 v3) :named h5))
(assert (! (<= 0 v4) :named h6))
(assert (! (<= 0 v5) :named h7))
(assert (not (< v4 (+ v3 v5))))
(check-sat)
