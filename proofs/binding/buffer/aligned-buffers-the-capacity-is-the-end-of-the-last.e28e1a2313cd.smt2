; law aligned-buffers (the capacity is the end of the last) of rule binding.buffer
; a_i = max(16, r_i), o_0 = 0, o_i = ceil((o_{i-1} + s_{i-1}) / a_i) a_i: the capacity is the end of the last
; true for all parameters: unsatisfiable
; v0 is a_i: alignment of buffer i, max(16, r_i)
; v1 is u_i: alignment of buffer i in least alignments, a_i = 16 u_i
; v2 is r_i: alignment that buffer i asks for, a power of two
; v3 is v_i: alignment of buffer i in alignments that it asks for, a_i = r_i v_i
; v4 is c_i: what rounding up to a multiple of a_i gives
; v5 is q_i: offset of buffer i in its alignments, o_i = a_i q_i
; v6 is o_p: offset of the buffer before i
; v7 is s_p: size of the buffer before i
; v8 is s_i: size of buffer i
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
(assert (! (= v0 (* 16 v1)) :named h0))
(assert (! (= (* v2 v3) v0) :named h1))
(assert (! (= (+ (* v0 v0) (* (- 1) v0 v2) (* (- 16) v0) (* 16 v2)) 0) :named h2))
(assert (! (= v4 (* v0 v5)) :named h3))
(assert (! (<= (+ v6 v7) v4) :named h4))
(assert (! (< v4 (+ v6 v7 v0)) :named h5))
(assert (! (<= 1 v0) :named h6))
(assert (! (<= 1 v1) :named h7))
(assert (! (<= 1 v2) :named h8))
(assert (! (<= 1 v3) :named h9))
(assert (! (<= 0 v4) :named h10))
(assert (! (<= 0 v5) :named h11))
(assert (! (<= 0 v6) :named h12))
(assert (! (<= 1 v7) :named h13))
(assert (! (<= 1 v8) :named h14))
(assert (not (= (+ v4 v8) (+ v4 v8))))
(check-sat)
