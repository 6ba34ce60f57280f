; law queue-order (partition: nothing is counted before the first) of rule binding.queue
; every command is in one queue, and each queue issues its commands in topological order: partition: nothing is counted before the first
; true for all parameters: unsatisfiable
(set-logic QF_NIA)
(assert (not (= (+ 0 0 0 0) 0)))
(check-sat)
