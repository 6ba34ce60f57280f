; law queue-order (partition: each task is counted once) of rule binding.queue
; position of t_i in its queue = number of its tasks among t_0, ..., t_{i-1}: partition: each task is counted once
; true for all parameters: unsatisfiable
; v0 is b_4: 1 if task i belongs to the host queue, else 0
; v1 is b_1: 1 if task i belongs to the compute queue, else 0
; v2 is b_2: 1 if task i belongs to the collective queue, else 0
; v3 is b_3: 1 if task i belongs to the transfer queue, else 0
; v4 is n_t: tasks before task i
; v5 is n_1: tasks in the compute queue before task i
; v6 is n_2: tasks in the collective queue before task i
; v7 is n_3: tasks in the transfer queue before task i
; v8 is n_4: tasks in the host queue before task i
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(declare-const v6 Int)
(declare-const v7 Int)
(declare-const v8 Int)
(assert (! (= v0 (+ 1 (* (- 1) v1) (* (- 1) v2) (* (- 1) v3))) :named h0))
(assert (! (= v4 (+ v5 v6 v7 v8)) :named h1))
(assert (! (<= 0 v0) :named h2))
(assert (! (<= 0 v1) :named h3))
(assert (! (<= 0 v2) :named h4))
(assert (! (<= 0 v3) :named h5))
(assert (! (<= 0 v4) :named h6))
(assert (! (<= 0 v5) :named h7))
(assert (! (<= 0 v6) :named h8))
(assert (! (<= 0 v7) :named h9))
(assert (! (<= 0 v8) :named h10))
(assert (not (= (+ v1 v5 v2 v6 v3 v7 v0 v8) (+ 1 v4))))
(check-sat)
