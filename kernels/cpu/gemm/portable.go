package gemm

import (
	"math"
	"unsafe"
)

// portableColumns is the width of a panel of B.
const portableColumns = 4

// multiplyPortable is multiplyPanel with what the kernels in assembly do, bit for bit.
func multiplyPortable[T Float](t *tile[T], firstA, firstC unsafe.Pointer, rows, columns int) {
	size := int(unsafe.Sizeof(t.alpha))
	for i := range rows {
		a := unsafe.Add(firstA, i*t.aRow)
		c := unsafe.Slice((*T)(unsafe.Add(firstC, i*t.cRow)), columns)
		var sums [portableColumns]T
		if columns == portableColumns {
			switch sums := any(&sums).(type) {
			case *[portableColumns]float32:
				chains32(sums, a, t.b, t.depth, t.aStep, t.bStep)
			case *[portableColumns]float64:
				chains64(sums, a, t.b, t.depth, t.aStep, t.bStep)
			}
		} else {
			for j := range columns {
				b := unsafe.Add(t.b, j*size)
				for k := range t.depth {
					sums[j] = fma(*(*T)(unsafe.Add(a, k*t.aStep)), *(*T)(unsafe.Add(b, k*t.bStep)), sums[j])
				}
			}
		}
		for j := range c {
			result := T(t.alpha * sums[j]) // Converted, lest the compiler fuse it with the sum.
			if t.beta != 0 {
				result = fma(c[j], t.beta, result)
			}
			c[j] = result
		}
	}
}

// chains64 adds to four sums a row of A times four adjacent columns of B.
func chains64(sums *[portableColumns]float64, a, b unsafe.Pointer, depth, aStep, bStep int) {
	s0, s1, s2, s3 := sums[0], sums[1], sums[2], sums[3]
	for k := range depth {
		x, y := *(*float64)(unsafe.Add(a, k*aStep)), (*[portableColumns]float64)(unsafe.Add(b, k*bStep))
		s0, s1, s2, s3 = math.FMA(x, y[0], s0), math.FMA(x, y[1], s1), math.FMA(x, y[2], s2), math.FMA(x, y[3], s3)
	}
	*sums = [portableColumns]float64{s0, s1, s2, s3}
}

func fma[T Float](x, y, z T) T {
	switch x := any(x).(type) {
	case float32:
		return T(fma32(x, float32(y), float32(z)))
	case float64:
		return T(math.FMA(x, float64(y), float64(z)))
	}
	panic("unreachable")
}
