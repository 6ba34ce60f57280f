; law aligned-buffers (every buffer ends within the capacity) of rule binding.buffer
; a_i = max(16, r_i), o_0 = 0, o_i = ceil((o_{i-1} + s_{i-1}) / a_i) a_i: every buffer ends within the capacity
; true for all parameters: unsatisfiable
; v0 is o_j: offset of any earlier buffer
; v1 is s_j: size of any earlier buffer
; v2 is o_p: offset of the buffer before i
; v3 is a_i: alignment of buffer i, max(16, r_i)
; v4 is u_i: alignment of buffer i in least alignments, a_i = 16 u_i
; v5 is r_i: alignment that buffer i asks for, a power of two
; v6 is v_i: alignment of buffer i in alignments that it asks for, a_i = r_i v_i
; v7 is c_i: what rounding up to a multiple of a_i gives
; v8 is q_i: offset of buffer i in its alignments, o_i = a_i q_i
; v9 is s_p: size of the buffer before i
; v10 is s_i: size of buffer i
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
(declare-const v9 Int)
(declare-const v10 Int)
(assert (! (<= (+ v0 v1) v2) :named h0))
(assert (! (= v3 (* 16 v4)) :named h1))
(assert (! (= (* v5 v6) v3) :named h2))
(assert (! (= (+ (* v3 v3) (* (- 1) v3 v5) (* (- 16) v3) (* 16 v5)) 0) :named h3))
(assert (! (= v7 (* v3 v8)) :named h4))
(assert (! (<= (+ v2 v9) v7) :named h5))
(assert (! (< v7 (+ v2 v9 v3)) :named h6))
(assert (! (<= 0 v0) :named h7))
(assert (! (<= 1 v1) :named h8))
(assert (! (<= 0 v2) :named h9))
(assert (! (<= 1 v3) :named h10))
(assert (! (<= 1 v4) :named h11))
(assert (! (<= 1 v5) :named h12))
(assert (! (<= 1 v6) :named h13))
(assert (! (<= 0 v7) :named h14))
(assert (! (<= 0 v8) :named h15))
(assert (! (<= 1 v9) :named h16))
(assert (! (<= 1 v10) :named h17))
(assert (not (<= (+ v0 v1) (+ v7 v10))))
(check-sat)
