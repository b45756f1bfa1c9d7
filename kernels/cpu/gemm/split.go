package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// A product with few elements of many terms is divided along k, block by block: every block is a product of its own, and those
// after the first are added to C in their order, which is what a single product does with its blocks, bit for bit. So is a single row
// times rows of B: threads that had some columns each would touch only some of the sets of their second caches, as rows are
// often a power of two apart.
const (
	splitSide   = 64 // rows and columns at most
	splitBlocks = 4  // of k at least
)

// splits tells whether a product is divided along k.
func (p *Product[T]) splits() bool {
	if p.K <= depth || p.Count > 1 || p.pairs {
		return false
	}
	if max(p.M, p.N) <= splitSide {
		return pieces(p.K, depth) >= splitBlocks
	}
	isRow := p.M == 1 && p.B.ColumnStride == 1 && p.C.ColumnStride == 1
	isColumn := p.N == 1 && p.A.RowStride == 1 && p.C.RowStride == 1
	return (isRow || isColumn) && p.splitBytes() <= packedBytes
}

// splitBytes is the temporary memory for the blocks after the first.
func (p *Product[T]) splitBytes() int {
	return (pieces(p.K, depth) - 1) * roundUp(p.M*p.N*int(unsafe.Sizeof(p.Alpha)), 64)
}

func (p *Product[T]) runSplit(t *parallel.Thread, temporary unsafe.Pointer) {
	p.orient()
	size := int(unsafe.Sizeof(p.Alpha))
	blocks := pieces(p.K, depth)
	each := p.splitBytes() / (blocks - 1)
	if temporary == nil {
		temporary = unsafe.Pointer(unsafe.SliceData(make([][8]uint64, p.splitBytes()/64)))
	}
	whole, f := *p, p.family()
	partial := func(block int) Matrix {
		return Matrix{unsafe.Add(temporary, (block-1)*each), whole.N, 1}
	}
	t.ForCost(blocks, f.work(p.M, p.N, depth), func(inner *parallel.Thread, lo, hi int) {
		if blocks >= t.NumThreads() {
			inner = parallel.Serial()
		}
		for block := lo; block < hi; block++ {
			from := whole.K * block / blocks
			part := whole
			part.K, part.Finish = whole.K*(block+1)/blocks-from, Finish[T]{}
			part.A.Start = unsafe.Add(part.A.Start, from*part.A.ColumnStride*size)
			part.B.Start = unsafe.Add(part.B.Start, from*part.B.RowStride*size)
			if block > 0 {
				part.Beta, part.C = 0, partial(block)
			}
			part.Run(inner, nil)
		}
	})
	for block := 1; block < blocks; block++ {
		f.add(p.C.Start, partial(block).Start, p.M, p.N, p.C.RowStride*size, p.N*size, 1)
	}
	p.finishAll()
}
