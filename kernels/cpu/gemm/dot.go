package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// dotChains is the number of sums of a dot product, each of every eighth term, which do not wait for each other.
const dotChains = 8

// dotBlock is how many terms are summed by themselves: the sums of a long dot product may be shared among threads.
const dotBlock = 1 << 14

// runDots computes products of one element each.
func (p *Product[T]) runDots(t *parallel.Thread) {
	if p.count() == 1 && p.dotBlocks() == 1 {
		p.storeDot(0, p.sumBlock(0, 0))
		return
	}
	batch := *p // So that only a batch is on the heap.
	if blocks := p.dotBlocks(); p.count() == 1 && blocks > 1 {
		sums := make([]T, blocks)
		t.ForCost(blocks, 0.3*dotBlock, func(_ *parallel.Thread, lo, hi int) {
			for block := lo; block < hi; block++ {
				sums[block] = batch.sumBlock(0, block)
			}
		})
		total := sums[0]
		for _, sum := range sums[1:] {
			total += sum
		}
		p.storeDot(0, total)
		return
	}
	t.ForCost(p.count(), 0.3*float64(p.K), func(_ *parallel.Thread, lo, hi int) {
		for product := lo; product < hi; product++ {
			total := batch.sumBlock(product, 0)
			for block := 1; block < batch.dotBlocks(); block++ {
				total += batch.sumBlock(product, block)
			}
			batch.storeDot(product, total)
		}
	})
}

func (p *Product[T]) dotBlocks() int { return (p.K + dotBlock - 1) / dotBlock }

// sumBlock returns the sum of the terms of a block of a product.
func (p *Product[T]) sumBlock(product, block int) T {
	size := int(unsafe.Sizeof(p.Alpha))
	first := block * dotBlock
	count := min(dotBlock, p.K-first)
	aOffset, bOffset, _ := p.offsets(product)
	aStep, bStep := p.A.ColumnStride*size, p.B.RowStride*size
	a, b := unsafe.Add(p.A.Start, aOffset+first*aStep), unsafe.Add(p.B.Start, bOffset+first*bStep)
	var sums [dotChains]T
	whole := count / dotChains * dotChains
	if aStep == size && bStep == size {
		addProducts(&sums, unsafe.Slice((*T)(a), whole), unsafe.Slice((*T)(b), whole))
	} else {
		for k := range whole {
			sums[k%dotChains] += T(*(*T)(unsafe.Add(a, k*aStep)) * *(*T)(unsafe.Add(b, k*bStep)))
		}
	}
	for k := whole; k < count; k++ {
		sums[k-whole] += T(*(*T)(unsafe.Add(a, k*aStep)) * *(*T)(unsafe.Add(b, k*bStep)))
	}
	return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

// storeDot writes the result of a product from the sum of its terms.
func (p *Product[T]) storeDot(product int, sum T) {
	_, _, offset := p.offsets(product)
	result, c := T(p.Alpha*sum), (*T)(unsafe.Add(p.C.Start, offset))
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
