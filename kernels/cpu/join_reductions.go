package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// multiplication multiplies what is there by elements of type T.
type multiplication[T dtype.Real] struct{}

func (multiplication[T]) row(dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int) {
	for i := range count {
		*(*T)(unsafe.Add(dst, i*dstStride)) *= *(*T)(unsafe.Add(x, i*stride))
	}
}

func (multiplication[T]) points(dst unsafe.Pointer, dstStride int, offsets []int, lo, hi int, x unsafe.Pointer, stride int) {
	for i, offset := range offsets {
		if offset >= lo && offset < hi {
			*(*T)(unsafe.Add(dst, i*dstStride+offset)) *= *(*T)(unsafe.Add(x, i*stride))
		}
	}
}

// enlarging leaves the larger of what is there and of elements of type T; NaN where either is, and 0 is larger than −0.
type enlarging[T dtype.Real] struct{}

func (enlarging[T]) row(dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int) {
	for i := range count {
		to := (*T)(unsafe.Add(dst, i*dstStride))
		*to = max(*to, *(*T)(unsafe.Add(x, i*stride)))
	}
}

func (enlarging[T]) points(dst unsafe.Pointer, dstStride int, offsets []int, lo, hi int, x unsafe.Pointer, stride int) {
	for i, offset := range offsets {
		if offset >= lo && offset < hi {
			to := (*T)(unsafe.Add(dst, i*dstStride+offset))
			*to = max(*to, *(*T)(unsafe.Add(x, i*stride)))
		}
	}
}

// lessening leaves the lesser one, as enlarging does the larger.
type lessening[T dtype.Real] struct{}

func (lessening[T]) row(dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int) {
	for i := range count {
		to := (*T)(unsafe.Add(dst, i*dstStride))
		*to = min(*to, *(*T)(unsafe.Add(x, i*stride)))
	}
}

func (lessening[T]) points(dst unsafe.Pointer, dstStride int, offsets []int, lo, hi int, x unsafe.Pointer, stride int) {
	for i, offset := range offsets {
		if offset >= lo && offset < hi {
			to := (*T)(unsafe.Add(dst, i*dstStride+offset))
			*to = min(*to, *(*T)(unsafe.Add(x, i*stride)))
		}
	}
}

// joiningBy joins elements of type T by a function of two.
type joiningBy[T any] struct{ join func(a, b T) T }

func (j joiningBy[T]) row(dst unsafe.Pointer, dstStride int, x unsafe.Pointer, stride, count int) {
	for i := range count {
		to := (*T)(unsafe.Add(dst, i*dstStride))
		*to = j.join(*to, *(*T)(unsafe.Add(x, i*stride)))
	}
}

func (j joiningBy[T]) points(dst unsafe.Pointer, dstStride int, offsets []int, lo, hi int, x unsafe.Pointer, stride int) {
	for i, offset := range offsets {
		if offset >= lo && offset < hi {
			to := (*T)(unsafe.Add(dst, i*dstStride+offset))
			*to = j.join(*to, *(*T)(unsafe.Add(x, i*stride)))
		}
	}
}

// byHalves joins 16-bit floats by a function of float32; each result is rounded.
func byHalves[T interface{ Float32() float32 }](rounded func(float32) T, join func(a, b float32) float32) joiningBy[T] {
	return joiningBy[T]{func(a, b T) T { return rounded(join(a.Float32(), b.Float32())) }}
}

func multiplied(a, b float32) float32 { return a * b }

var multiplications = byLoops("mul/", [dtype.Count]joiner{
	dtype.Bool: lessening[uint8]{}, dtype.Int8: multiplication[int8]{}, dtype.Int16: multiplication[int16]{}, dtype.Int32: multiplication[int32]{},
	dtype.Int64: multiplication[int64]{}, dtype.Uint8: multiplication[uint8]{}, dtype.Uint16: multiplication[uint16]{}, dtype.Uint32: multiplication[uint32]{},
	dtype.Uint64: multiplication[uint64]{}, dtype.Float16: byHalves(dtype.ToF16, multiplied), dtype.BFloat16: byHalves(dtype.ToBF16, multiplied),
	dtype.Float32: multiplication[float32]{}, dtype.Float64: multiplication[float64]{},
	dtype.Complex64: joiningBy[[2]float32]{product2[float32]}, dtype.Complex128: joiningBy[[2]float64]{product2[float64]},
})

var enlargings = byLoops("maximum/", [dtype.Count]joiner{
	dtype.Bool: enlarging[uint8]{}, dtype.Int8: enlarging[int8]{}, dtype.Int16: enlarging[int16]{}, dtype.Int32: enlarging[int32]{},
	dtype.Int64: enlarging[int64]{}, dtype.Uint8: enlarging[uint8]{}, dtype.Uint16: enlarging[uint16]{}, dtype.Uint32: enlarging[uint32]{},
	dtype.Uint64: enlarging[uint64]{}, dtype.Float16: byHalves(dtype.ToF16, larger[float32]), dtype.BFloat16: byHalves(dtype.ToBF16, larger[float32]),
	dtype.Float32: enlarging[float32]{}, dtype.Float64: enlarging[float64]{},
})

var lessenings = byLoops("minimum/", [dtype.Count]joiner{
	dtype.Bool: lessening[uint8]{}, dtype.Int8: lessening[int8]{}, dtype.Int16: lessening[int16]{}, dtype.Int32: lessening[int32]{},
	dtype.Int64: lessening[int64]{}, dtype.Uint8: lessening[uint8]{}, dtype.Uint16: lessening[uint16]{}, dtype.Uint32: lessening[uint32]{},
	dtype.Uint64: lessening[uint64]{}, dtype.Float16: byHalves(dtype.ToF16, smaller[float32]), dtype.BFloat16: byHalves(dtype.ToBF16, smaller[float32]),
	dtype.Float32: lessening[float32]{}, dtype.Float64: lessening[float64]{},
})

// byLoops has rows joined by the loop of an operator where that is assembly.
func byLoops(operator string, joiners [dtype.Count]joiner) [dtype.Count]joiner {
	for _, d := range dtype.All() {
		if joiners[d] != nil {
			joiners[d] = byLoop(operator, d, joiners[d])
		}
	}
	return joiners
}

// joinerOf returns what joins elements of type d by the reduction of that number: 0 writes them, 1 adds, 2 multiplies, 3 leaves the larger
// and 4 the lesser.
func joinerOf(d dtype.DType, reduction int64) joiner {
	if reduction == 0 {
		return assignments[d.Size()]
	}
	return [...]*[dtype.Count]joiner{&additions, &multiplications, &enlargings, &lessenings}[reduction-1][d]
}
