package gemm

import (
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// A product with few elements of many terms is divided along k, block by block: every block is a product of its own, and those
// after the first are added to C in their order, which is what a single product does with its blocks, bit for bit. So is a single row
// times rows of B: threads that had some columns each would touch only some of the sets of their second caches, as rows are
// often a power of two apart. And so is one by the weight of a layer whose operands are larger than its result: divided otherwise, every
// thread reads all of the weight, of which others have written a part. Where nobody writes it that takes a tenth longer.
const (
	splitSide   = 64 // rows and columns at most
	splitBlocks = 4  // of k at least

	splitResults = 16 << 10 // elements at most of the result of a layer
	splitRatio   = 2        // of those of the operands to it, at least
)

// splits tells whether a product is divided along k.
func (p *Product[T]) splits() bool {
	if p.K <= depth || p.Count > 1 || p.elements > integers {
		return false
	}
	if max(p.M, p.N) <= splitSide {
		return pieces(p.K, depth) >= splitBlocks
	}
	if p.splitsColumns() {
		return true
	}
	isRow := p.M == 1 && p.B.ColumnStride == 1 && p.C.ColumnStride == 1
	isColumn := p.N == 1 && p.A.RowStride == 1 && p.C.RowStride == 1
	return (isRow || isColumn) && p.splitBytes() <= packedBytes
}

// splitsColumns tells whether blocks of k are divided once more, by columns: they take long, and operands are used where they lie.
func (p *Product[T]) splitsColumns() bool {
	if !p.Weight || min(p.M, p.N) < 8 || max(p.M, p.N) <= splitSide || p.M*p.N > splitResults || p.K*(p.M+p.N) < splitRatio*p.M*p.N {
		return false
	}
	whole := *p
	whole.orient()
	var g plan
	setPlan(&g, &whole, p.family())
	return !g.packA && !g.packB && !g.turnsB
}

// splitBytes is the temporary memory for the blocks after the first.
func (p *Product[T]) splitBytes() int {
	return (pieces(p.K, depth) - 1) * roundUp(p.M*p.N*int(unsafe.Sizeof(p.Alpha)), 64)
}

// split is a product that is divided along k, and its columns into pieces.
type split[T Float] struct {
	whole          Product[T]
	blocks, across int
	width          int // of a piece
	temporary      unsafe.Pointer
	done           []atomic.Int32 // blocks of each piece
}

func (p *Product[T]) runSplit(t *parallel.Thread, temporary unsafe.Pointer) {
	p.orient()
	if temporary == nil {
		temporary = unsafe.Pointer(unsafe.SliceData(make([][8]uint64, p.splitBytes()/64)))
	}
	f := p.family()
	s := &split[T]{whole: *p, blocks: pieces(p.K, depth), width: p.N, across: 1, temporary: temporary}
	if p.splitsColumns() {
		s.width = f.vectors(p.M) * f.lanes
		s.across = pieces(p.N-1, s.width) // A single column, which would have other bits, is in the piece before it.
	}
	s.done = make([]atomic.Int32, s.across)
	work := f.work(p.M, p.N, depth)
	body := func(inner *parallel.Thread, lo, hi int) {
		if s.blocks*s.across >= t.NumThreads() {
			inner = parallel.Serial()
		}
		for unit := lo; unit < hi; unit++ {
			s.run(inner, unit/s.across, unit%s.across)
		}
	}
	share := t.ForCost
	if p.Weight {
		share = t.ForOwn
	}
	share(s.blocks*s.across, work/float64(s.across), body)
}

// run computes a block of k of a piece of the columns. Whoever computes the last one joins them.
func (s *split[T]) run(t *parallel.Thread, block, piece int) {
	p := s.piece(piece)
	first, size := p, int(unsafe.Sizeof(p.Alpha))
	from := p.K * block / s.blocks
	p.K, p.Finish, p.others = p.K*(block+1)/s.blocks-from, Finish[T]{}, s.blocks-1
	p.A.Start = unsafe.Add(p.A.Start, from*p.A.ColumnStride*size)
	p.B.Start = unsafe.Add(p.B.Start, from*p.B.RowStride*p.Source.size(size))
	if block > 0 {
		p.Beta, p.C = 0, s.partial(block, piece)
	}
	p.runWhole(t, nil)
	if int(s.done[piece].Add(1)) < s.blocks {
		return
	}
	f := p.family()
	for block := 1; block < s.blocks; block++ {
		f.add(first.C.Start, s.partial(block, piece).Start, first.M, first.N, first.C.RowStride*size, s.whole.N*size, 1)
	}
	first.finishAll()
}

// piece returns the product with some of its columns alone.
func (s *split[T]) piece(number int) Product[T] {
	p := s.whole
	column, size := number*s.width, int(unsafe.Sizeof(p.Alpha))
	if p.N -= column; number < s.across-1 {
		p.N = s.width
	}
	for _, m := range []*Matrix{&p.B, &p.C, &p.Finish.Plus[0], &p.Finish.Plus[1]} {
		if m.Start != nil {
			m.Start = unsafe.Add(m.Start, column*m.ColumnStride*size)
		}
	}
	return p
}

// partial is where a block after the first of a piece goes.
func (s *split[T]) partial(block, piece int) Matrix {
	size := int(unsafe.Sizeof(s.whole.Alpha))
	each := roundUp(s.whole.M*s.whole.N*size, 64)
	return Matrix{unsafe.Add(s.temporary, (block-1)*each+piece*s.width*size), s.whole.N, 1}
}
