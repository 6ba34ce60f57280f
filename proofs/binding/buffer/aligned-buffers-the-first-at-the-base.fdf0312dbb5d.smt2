; law aligned-buffers (the first at the base) of rule binding.buffer
; a_i = max(16, r_i), o_0 = 0, o_i = ceil((o_{i-1} + s_{i-1}) / a_i) a_i: the first at the base
; true for all parameters: unsatisfiable
(set-logic QF_NIA)
(assert (not (= 0 0)))
(check-sat)
