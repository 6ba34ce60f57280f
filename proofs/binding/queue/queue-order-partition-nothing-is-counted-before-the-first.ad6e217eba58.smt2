; law queue-order (partition: nothing is counted before the first) of rule binding.queue
; position of t_i in its queue = number of its tasks among t_0, ..., t_{i-1}: partition: nothing is counted before the first
; true for all parameters: unsatisfiable
(set-logic QF_NIA)
(assert (not (= (+ 0 0 0 0) 0)))
(check-sat)
