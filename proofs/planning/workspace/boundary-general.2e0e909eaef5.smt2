; law boundary (general) of rule planning.workspace
; C_bd = b q H e
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
(assert (not (= (* v0 v1 v2 v3) (* v0 v1 v2 v3))))
(check-sat)
