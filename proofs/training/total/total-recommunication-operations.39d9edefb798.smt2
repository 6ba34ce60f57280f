; law total-recommunication (operations) of rule training.total
; all recommunication tasks together do the closed total
; true for all parameters: unsatisfiable
; v0 is R: elements of one rank's shard of a B S H tensor, B S H = t R
; v1 is t: tensor-parallel degree
; v2 is B: sequences in a microbatch
; v3 is H: hidden width
; v4 is S: sequence length
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(assert (! (= (* v0 v1) (* v2 v3 v4)) :named h0))
(assert (not (= (+ (* (- 1) v0 v1) (* v0 v1 v1) (* (- 1) v0 v1) (* v0 v1 v1)) (+ (* (- 2) v2 v3 v4) (* 2 v2 v3 v4 v1)))))
(check-sat)
