package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// Integer is the element types of products of integers. Those of unsigned integers are the same.
type Integer interface{ int32 | int64 }

// IntegerProduct is C = A*B for integers, with the sizes and strides of Product. Sums wrap round. The contract is that of Product.
type IntegerProduct[I Integer] struct {
	M, N, K int
	A, B, C Matrix
	Count   int
	Offsets func(product int) (a, b, c int)
}

// Integers are moved about, and C is written, like floats of their size: a product of integers is one of these in all but the kernels.

// Scratch returns the bytes of temporary memory that Run takes.
func (p IntegerProduct[I]) Scratch() int {
	if p.isLong() {
		return integersAs[float64](p).Scratch()
	}
	return integersAs[float32](p).Scratch()
}

// Run computes the product in temporary memory of Scratch bytes, best aligned to 64, with any contents; if it is nil, it makes
// some.
func (p IntegerProduct[I]) Run(t *parallel.Thread, temporary unsafe.Pointer) {
	if p.isLong() {
		integersAs[float64](p).Run(t, temporary)
		return
	}
	integersAs[float32](p).Run(t, temporary)
}

func (p *IntegerProduct[I]) isLong() bool { return unsafe.Sizeof(I(0)) == 8 }

func integersAs[T Float, I Integer](p IntegerProduct[I]) Product[T] {
	return Product[T]{M: p.M, N: p.N, K: p.K, Alpha: 1, A: p.A, B: p.B, C: p.C, Count: p.Count, Offsets: p.Offsets, elements: integers}
}

// IntegerNanoseconds is Nanoseconds for a product of integers.
func IntegerNanoseconds[I Integer](operations int64) float64 {
	if unsafe.Sizeof(I(0)) == 8 {
		return float64(operations) / bestIntegers[float64]().rate
	}
	return float64(operations) / bestIntegers[float32]().rate
}

// multiplyIntegers is multiplyPanel with what the kernels in assembly do.
func multiplyIntegers[T Float, I Integer](t *tile[T], firstA, firstC unsafe.Pointer, rows, columns int) {
	size := int(unsafe.Sizeof(I(0)))
	for i := range rows {
		a, c := unsafe.Add(firstA, i*t.aRow), unsafe.Slice((*I)(unsafe.Add(firstC, i*t.cRow)), columns)
		var sums [portableColumns]I
		if columns == portableColumns {
			var s0, s1, s2, s3 I
			for k := range t.depth {
				x, y := *(*I)(unsafe.Add(a, k*t.aStep)), (*[portableColumns]I)(unsafe.Add(t.b, k*t.bStep))
				s0, s1, s2, s3 = s0+x*y[0], s1+x*y[1], s2+x*y[2], s3+x*y[3]
			}
			sums = [portableColumns]I{s0, s1, s2, s3}
		} else {
			for j := range columns {
				b := unsafe.Add(t.b, j*size)
				for k := range t.depth {
					sums[j] += *(*I)(unsafe.Add(a, k*t.aStep)) * *(*I)(unsafe.Add(b, k*t.bStep))
				}
			}
		}
		for j := range c {
			if t.beta == 0 {
				c[j] = 0
			}
			c[j] += sums[j]
		}
	}
}

// addIntegers adds integers as large as T to others. Steps from row to row are in bytes.
func addIntegers[T Float](c, x unsafe.Pointer, rows, columns, cRow, xRow int) {
	if unsafe.Sizeof(T(0)) == 8 {
		addRows[int64](c, x, rows, columns, cRow, xRow)
		return
	}
	addRows[int32](c, x, rows, columns, cRow, xRow)
}

func addRows[I Integer](c, x unsafe.Pointer, rows, columns, cRow, xRow int) {
	for i := range rows {
		line, from := unsafe.Slice((*I)(unsafe.Add(c, i*cRow)), columns), unsafe.Slice((*I)(unsafe.Add(x, i*xRow)), columns)
		for j := range line {
			line[j] += from[j]
		}
	}
}
