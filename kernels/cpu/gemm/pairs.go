package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// Products of int8 are computed on pairs: two int16 that follow each other along k are an element of A and of B, which is moved
// about like a float32, and the sum of their two products, which an int32 holds, is added to an element of C.

// pair is two int16, the low one for the even k.
type pair uint32

func newPair(low, high int8) pair { return pair(uint16(low)) | pair(uint16(high))<<16 }

func (p pair) times(q pair) int32 {
	return int32(int16(p))*int32(int16(q)) + int32(int16(p>>16))*int32(int16(q>>16))
}

// multiplyPairsPortable is multiplyPanel with what the kernels in assembly do.
func multiplyPairsPortable(t *tile[float32], firstA, firstC unsafe.Pointer, rows, columns int) {
	for i := range rows {
		a, c := unsafe.Add(firstA, i*t.aRow), unsafe.Slice((*int32)(unsafe.Add(firstC, i*t.cRow)), columns)
		if t.beta == 0 {
			clear(c)
		}
		for k := range t.depth {
			x := *(*pair)(unsafe.Add(a, k*t.aStep))
			for j, y := range unsafe.Slice((*pair)(unsafe.Add(t.b, k*t.bStep)), columns) {
				c[j] += x.times(y)
			}
		}
	}
}

// pairing is the assembly that makes pairs, a multiple of so many of them: of the bytes of one line, or of two lines.
type pairing struct {
	lanes      int
	widen      func(dst, src *byte, count int)
	interleave func(dst, low, high *byte, count int)
}

// pairUp makes pairs along k of a matrix of int8 with so many lines beside each other: line after line, or, if the lines are
// adjacent, pair after pair.
func pairUp(t *parallel.Thread, dst, src unsafe.Pointer, k, lines, kStride, lineStride int) {
	pairs, tools := (k+1)/2, bestPairing()
	at := func(line, k int) *int8 { return (*int8)(unsafe.Add(src, line*lineStride+k*kStride)) }
	one := func(line, number int) pair {
		if 2*number+1 == k {
			return newPair(*at(line, k-1), 0)
		}
		return newPair(*at(line, 2*number), *at(line, 2*number+1))
	}
	if lineStride == 1 && kStride != 1 {
		t.ForCost(pairs, 0.5*float64(lines), func(_ *parallel.Thread, lo, hi int) {
			for number := lo; number < hi; number++ {
				to, line := unsafe.Slice((*pair)(unsafe.Add(dst, 4*number*lines)), lines), 0
				if whole := lines / tools.lanes * tools.lanes; whole > 0 && tools.interleave != nil && 2*number+1 < k {
					tools.interleave((*byte)(unsafe.Pointer(&to[0])), (*byte)(unsafe.Pointer(at(0, 2*number))), (*byte)(unsafe.Pointer(at(0, 2*number+1))), whole)
					line = whole
				}
				for ; line < lines; line++ {
					to[line] = one(line, number)
				}
			}
		})
		return
	}
	t.ForCost(lines, 0.5*float64(pairs), func(_ *parallel.Thread, lo, hi int) {
		for line := lo; line < hi; line++ {
			to, number := unsafe.Slice((*pair)(unsafe.Add(dst, 4*line*pairs)), pairs), 0
			if whole := k / 2 / tools.lanes * tools.lanes; whole > 0 && tools.widen != nil && kStride == 1 {
				tools.widen((*byte)(unsafe.Pointer(&to[0])), (*byte)(unsafe.Pointer(at(line, 0))), whole)
				number = whole
			}
			for ; number < pairs; number++ {
				to[number] = one(line, number)
			}
		}
	})
}
