package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// dotBlock is how many terms are summed by themselves: the sums of a long dot product may be shared among threads.
const dotBlock = 1 << 14

// dotProducts are the products of a batch, of one element each.
type dotProducts[T Float] struct {
	Product[T]
	family *family[T]
}

// runDots computes products of one element each.
func (p *Product[T]) runDots(t *parallel.Thread) {
	blocks := (p.K + dotBlock - 1) / dotBlock
	batch := &dotProducts[T]{*p, best[T]()}
	if p.count() == 1 && blocks == 1 {
		a, b, c := p.offsets(0)
		batch.store(c, batch.sumBlock(new(chains[T]), a, b, 0))
		return
	}
	if p.count() == 1 {
		sums := make([]T, blocks)
		a, b, c := p.offsets(0)
		t.ForCost(blocks, 0.3*dotBlock, func(_ *parallel.Thread, lo, hi int) {
			memory := new(chains[T])
			for block := lo; block < hi; block++ {
				sums[block] = batch.sumBlock(memory, a, b, block)
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
		memory := new(chains[T])
		for product := lo; product < hi; product++ {
			a, b, c := batch.offsets(product)
			total := batch.sumBlock(memory, a, b, 0)
			for block := 1; block < blocks; block++ {
				total += batch.sumBlock(memory, a, b, block)
			}
			batch.store(c, total)
		}
	})
}

// sumBlock returns the sum of the terms of a block of a product, whose matrices start so many bytes from the first.
func (p *dotProducts[T]) sumBlock(memory *chains[T], aOffset, bOffset, block int) T {
	size, first := int(unsafe.Sizeof(p.Alpha)), block*dotBlock
	aStep, bStep := p.A.ColumnStride*size, p.B.RowStride*size
	a, b := unsafe.Add(p.A.Start, aOffset+first*aStep), unsafe.Add(p.B.Start, bOffset+first*bStep)
	return p.family.sumChains(memory, a, b, aStep, bStep, min(dotBlock, p.K-first))
}

// store writes the result of a product from the sum of its terms.
func (p *dotProducts[T]) store(cOffset int, sum T) {
	result, c := T(p.Alpha*sum), (*T)(unsafe.Add(p.C.Start, cOffset))
	if p.Beta != 0 {
		result += T(p.Beta * *c)
	}
	*c = result
}
