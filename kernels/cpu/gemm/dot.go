package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// dotChains is the number of sums of a dot product, each of every eighth term, which do not wait for each other.
const dotChains = 8

// runDots computes products of one element each.
func (p *Product[T]) runDots(t *parallel.Thread) {
	if p.count() == 1 {
		p.dot(0)
		return
	}
	batch := *p // So that only a batch is on the heap.
	t.ForCost(p.count(), 0.3*float64(p.K), func(_ *parallel.Thread, lo, hi int) {
		for product := lo; product < hi; product++ {
			batch.dot(product)
		}
	})
}

func (p *Product[T]) dot(product int) {
	size := int(unsafe.Sizeof(p.Alpha))
	aOffset, bOffset, cOffset := p.offsets(product)
	a, b := unsafe.Add(p.A.Start, aOffset), unsafe.Add(p.B.Start, bOffset)
	aStep, bStep := p.A.ColumnStride*size, p.B.RowStride*size
	var sums [dotChains]T
	whole := p.K / dotChains * dotChains
	if aStep == size && bStep == size {
		addProducts(&sums, unsafe.Slice((*T)(a), whole), unsafe.Slice((*T)(b), whole))
	} else {
		for k := range whole {
			sums[k%dotChains] += T(*(*T)(unsafe.Add(a, k*aStep)) * *(*T)(unsafe.Add(b, k*bStep)))
		}
	}
	for k := whole; k < p.K; k++ {
		sums[k-whole] += T(*(*T)(unsafe.Add(a, k*aStep)) * *(*T)(unsafe.Add(b, k*bStep)))
	}
	result := T(p.Alpha * (((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))))
	c := (*T)(unsafe.Add(p.C.Start, cOffset))
	if p.Beta != 0 {
		result += T(p.Beta * *c)
	}
	*c = result
}

// addProducts adds the products of x and y, whose length is a multiple of the number of sums. Products are converted, lest the
// compiler fuse them with the sums.
func addProducts[T Float](sums *[dotChains]T, x, y []T) {
	s0, s1, s2, s3, s4, s5, s6, s7 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
	for len(x) >= dotChains && len(y) >= dotChains {
		s0, s1, s2, s3 = s0+T(x[0]*y[0]), s1+T(x[1]*y[1]), s2+T(x[2]*y[2]), s3+T(x[3]*y[3])
		s4, s5, s6, s7 = s4+T(x[4]*y[4]), s5+T(x[5]*y[5]), s6+T(x[6]*y[6]), s7+T(x[7]*y[7])
		x, y = x[dotChains:], y[dotChains:]
	}
	*sums = [dotChains]T{s0, s1, s2, s3, s4, s5, s6, s7}
}
