; law paged-workspace (table divided by t: page table) of rule planning.fused_attention
; C_ws = C_bd + max(3 b q H e/t, b (h/t) q (d e + 4), b q F e/t, 4 b c): page table
; a false variant: satisfiable
; v0 is b: sequences of an inference batch
; v1 is c: visible tokens of each sequence, the step's new ones included
; v2 is t: tensor-parallel degree
; v3 is H: hidden width
; v4 is e: width of one element
; v5 is q: new tokens of each sequence in a step of inference
(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(declare-const v4 Int)
(declare-const v5 Int)
(assert (not (= (+ (* 4 v0 v1 v2) (* v3 v0 v4 v5 v2)) (+ (* 4 v0 v1) (* v3 v0 v4 v5 v2)))))
(check-sat)
