package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// dotChains is the number of sums of a dot product, each of every eighth term, which do not wait for each other.
const dotChains = 8

// dotBlock is how many terms are summed by themselves: the sums of a long dot product may be shared among threads.
const dotBlock = 1 << 14

// dotProducts are the products of a batch, of one element each.
type dotProducts[T Float] struct {
	Product[T]
	add func(sums, x, y *byte, count int) // the assembly of addProducts; nil if there is none
}

// runDots computes products of one element each.
func (p *Product[T]) runDots(t *parallel.Thread) {
	blocks := (p.K + dotBlock - 1) / dotBlock
	batch := &dotProducts[T]{*p, best[T]().dot}
	if p.count() == 1 && blocks == 1 {
		a, b, c := p.offsets(0)
		batch.store(c, batch.sumBlock(new([dotChains]T), a, b, 0))
		return
	}
	if p.count() == 1 {
		sums := make([]T, blocks)
		a, b, c := p.offsets(0)
		t.ForCost(blocks, 0.3*dotBlock, func(_ *parallel.Thread, lo, hi int) {
			chains := new([dotChains]T)
			for block := lo; block < hi; block++ {
				sums[block] = batch.sumBlock(chains, a, b, block)
			}
		})
		total := sums[0]
		for _, sum := range sums[1:] {
			total += sum
		}
		batch.store(c, total)
		return
	}
	t.ForCost(p.count(), 0.3*float64(p.K), func(_ *parallel.Thread, lo, hi int) {
		chains := new([dotChains]T)
		for product := lo; product < hi; product++ {
			a, b, c := batch.offsets(product)
			total := batch.sumBlock(chains, a, b, 0)
			for block := 1; block < blocks; block++ {
				total += batch.sumBlock(chains, a, b, block)
			}
			batch.store(c, total)
		}
	})
}

// sumBlock returns the sum of the terms of a block of a product, whose matrices start so many bytes from the first. Sums is memory for it,
// which would be on the heap, for every product, if it were its own.
func (p *dotProducts[T]) sumBlock(sums *[dotChains]T, aOffset, bOffset, block int) T {
	size := int(unsafe.Sizeof(p.Alpha))
	first := block * dotBlock
	count := min(dotBlock, p.K-first)
	aStep, bStep := p.A.ColumnStride*size, p.B.RowStride*size
	a, b := unsafe.Add(p.A.Start, aOffset+first*aStep), unsafe.Add(p.B.Start, bOffset+first*bStep)
	clear(sums[:])
	whole := count / dotChains * dotChains
	switch adjacent := aStep == size && bStep == size; {
	case adjacent && p.add != nil && whole > 0:
		p.add((*byte)(unsafe.Pointer(sums)), (*byte)(a), (*byte)(b), whole)
	case adjacent:
		addProducts(sums, unsafe.Slice((*T)(a), whole), unsafe.Slice((*T)(b), whole))
	default:
		for k := range whole {
			sums[k%dotChains] += T(*(*T)(unsafe.Add(a, k*aStep)) * *(*T)(unsafe.Add(b, k*bStep)))
		}
	}
	for k := whole; k < count; k++ {
		sums[k-whole] += T(*(*T)(unsafe.Add(a, k*aStep)) * *(*T)(unsafe.Add(b, k*bStep)))
	}
	return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

// store writes the result of a product from the sum of its terms.
func (p *dotProducts[T]) store(cOffset int, sum T) {
	result, c := T(p.Alpha*sum), (*T)(unsafe.Add(p.C.Start, cOffset))
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
