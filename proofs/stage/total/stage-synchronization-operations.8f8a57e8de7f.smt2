; law stage-synchronization (operations) of rule stage.total
; M = g N + {0, e N, e N, 2 e N} at ZeRO stages 0 to 3, and g v if the sequence is divided
; true for all parameters: unsatisfiable
; v0 is n_w: largest share of a block's undivided parameters over the tensor group
; v1 is t: tensor-parallel degree
; v2 is n_D: largest share of a rank's parameters over the data-parallel group
; v3 is D: data-parallel degree
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (= (+ (* (- 1) v0) (* v0 v1) (* (- 1) v2) (* v2 v3)) (+ (* (- 1) v2) (* v2 v3) (* (- 1) v0) (* v0 v1)))))
(check-sat)
