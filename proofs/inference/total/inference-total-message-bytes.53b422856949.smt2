; law inference-total (message bytes) of rule inference.total
; all tasks of a step together do the closed total
; true for all parameters: unsatisfiable
; v0 is H: hidden width
; v1 is b: sequences of an inference batch
; v2 is e: width of one element
; v3 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (not (= (+ 0 0 0 0 0 0 0 0 (* v0 v1 v2 v3) 0 0 0 0 0 (* v0 v1 v2 v3) 0) (* 2 v0 v1 v2 v3))))
(check-sat)
