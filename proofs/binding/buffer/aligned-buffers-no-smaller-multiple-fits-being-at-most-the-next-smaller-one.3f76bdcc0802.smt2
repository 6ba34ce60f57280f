; law aligned-buffers (no smaller multiple fits, being at most the next smaller one) of rule binding.buffer
; a_i = max(16, r_i), o_0 = 0, o_i = ceil((o_{i-1} + s_{i-1}) / a_i) a_i: no smaller multiple fits, being at most the next smaller one
; true for all parameters: unsatisfiable
; v0 is m_i: any smaller number of alignments
; v1 is q_i: offset of buffer i in its alignments, o_i = a_i q_i
; v2 is a_i: alignment of buffer i, max(16, r_i)
; v3 is u_i: alignment of buffer i in least alignments, a_i = 16 u_i
; v4 is r_i: alignment that buffer i asks for, a power of two
; v5 is v_i: alignment of buffer i in alignments that it asks for, a_i = r_i v_i
; v6 is c_i: what rounding up to a multiple of a_i gives
; v7 is o_p: offset of the buffer before i
; v8 is s_p: size of the buffer before i
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
(assert (! (< v0 v1) :named h0))
(assert (! (= v2 (* 16 v3)) :named h1))
(assert (! (= (* v4 v5) v2) :named h2))
(assert (! (= (+ (* v2 v2) (* (- 1) v2 v4) (* (- 16) v2) (* 16 v4)) 0) :named h3))
(assert (! (= v6 (* v2 v1)) :named h4))
(assert (! (<= (+ v7 v8) v6) :named h5))
(assert (! (< v6 (+ v7 v8 v2)) :named h6))
(assert (! (<= 0 v0) :named h7))
(assert (! (<= 0 v1) :named h8))
(assert (! (<= 1 v2) :named h9))
(assert (! (<= 1 v3) :named h10))
(assert (! (<= 1 v4) :named h11))
(assert (! (<= 1 v5) :named h12))
(assert (! (<= 0 v6) :named h13))
(assert (! (<= 0 v7) :named h14))
(assert (! (<= 1 v8) :named h15))
(assert (not (<= (* v2 v0) (+ (* (- 1) v2) (* v2 v1)))))
(check-sat)
