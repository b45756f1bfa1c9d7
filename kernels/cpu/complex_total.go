package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// newComplexSum returns the sum of complex numbers C, whose parts T it adds by the rows of another sum where they have
// no assembly of their own.
func newComplexSum[C dtype.Complex, T dtype.Float](parts *total[T]) *total[C] {
	f := newTotal(parts.operator, func(dst []C, x unsafe.Pointer, stride, count int) {
		sumRows(slice[T](unsafe.Pointer(unsafe.SliceData(dst)), 2*len(dst)), x, stride, count)
	}, plus[C], plusPairs[C], nil)
	own := f.find
	f.find = sync.OnceValue(func() *[2]assembledTotal[C] {
		found := own()
		for i, assembly := range parts.find() {
			if found[i].rows == nil && assembly.rows != nil {
				found[i].rows = func(dst, x *C, stride, rows, width int) {
					assembly.rows((*T)(unsafe.Pointer(dst)), (*T)(unsafe.Pointer(x)), stride, rows, 2*width)
				}
			}
		}
		return found
	})
	return f
}

// newComplexProduct returns the product of complex numbers C, whose parts are T.
func newComplexProduct[C dtype.Complex, T dtype.Float]() *total[C] {
	multiply := timesRows[C, T]()
	return newTotal("", func(dst []C, x unsafe.Pointer, stride, count int) {
		copy(dst, slice[C](x, len(dst)))
		if count > 1 { // no pointer may leave its memory
			multiply(dst, unsafe.Add(x, stride), stride, count-1)
		}
	}, timesComplex[C, T], func(x []C) C {
		for len(x) > 1 {
			half := len(x) / 2
			for i := range half {
				x[i] = timesComplex[C, T](x[2*i], x[2*i+1])
			}
			if len(x)%2 == 1 {
				x[half] = x[len(x)-1]
				half++
			}
			x = x[:half]
		}
		return x[0]
	}, nil)
}

// timesRows returns what multiplies dst by so many rows, one after the other, by assembly where there is some.
func timesRows[C dtype.Complex, T dtype.Float]() func(dst []C, x unsafe.Pointer, stride, rows int) {
	find := loopNamed("mul/" + dtype.Of[C]().String())
	return func(dst []C, x unsafe.Pointer, stride, rows int) {
		if r := find().runner(); r.vector != nil && len(dst) >= r.least {
			to := unsafe.Pointer(&dst[0])
			r.runRows(rows, len(dst), pointers{to, to, x}, [maxOperands]int{0, 0, stride}, 0)
			return
		}
		for row := range rows {
			for i, v := range slice[C](unsafe.Add(x, row*stride), len(dst)) {
				dst[i] = timesComplex[C, T](dst[i], v)
			}
		}
	}
}

// timesComplex is the product of complex numbers C, whose parts are T: Go's may be fused.
func timesComplex[C dtype.Complex, T dtype.Float](a, b C) C {
	product := product2(*(*[2]T)(unsafe.Pointer(&a)), *(*[2]T)(unsafe.Pointer(&b)))
	return *(*C)(unsafe.Pointer(&product))
}

// accumulatedComplex is the entry of a total of complex numbers C; empty is that of none.
func accumulatedComplex[C dtype.Complex](f *total[C], empty C, finish func(total C, count int) C) entry {
	return entry{dtype.Of[C]().String(), reducer[C, C]{f.fold(), nil, storing(func(total C, count int) C {
		if count == 0 {
			total = empty
		}
		return finish(total, count)
	})}.kernel}
}

// complexTimesScan is the scan of products of complex numbers C.
func complexTimesScan[C dtype.Complex, T dtype.Float]() scan[C] {
	return scan[C]{prefix: func(x []C) {
		for i := 1; i < len(x); i++ {
			x[i] = timesComplex[C, T](x[i-1], x[i])
		}
	}, step: func(dst, x, y []C) {
		for i, v := range x {
			dst[i] = timesComplex[C, T](v, y[i])
		}
	}, raise: func(x []C, before C) {
		for i, v := range x {
			x[i] = timesComplex[C, T](before, v)
		}
	}}
}

// scannedComplex is the entry of a scan of complex numbers C.
func scannedComplex[C dtype.Complex](s scan[C], empty C) entry {
	return entry{dtype.Of[C]().String(), scanner[C]{s, byRows(func(dst []C, src unsafe.Pointer) { copy(dst, slice[C](src, len(dst))) }), func(dst unsafe.Pointer, x []C) {
		copy(slice[C](dst, len(x)), x)
	}, empty, true, true}.kernel}
}
