package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// Float is the element types of the package.
type Float interface{ float32 | float64 }

// Matrix is where a matrix lies: the element of row i and column j is i*RowStride + j*ColumnStride elements from Start. The
// strides may be zero or negative.
type Matrix struct {
	Start                   unsafe.Pointer
	RowStride, ColumnStride int
}

// Transposed returns the same elements, rows for columns.
func (m Matrix) Transposed() Matrix { return Matrix{m.Start, m.ColumnStride, m.RowStride} }

// Product is C = Alpha*A*B + Beta*C, and what Finish makes of that, where A has M rows and K columns, B has K rows and
// N columns, and C has M rows and N columns. Of C, ColumnStride is 1 or RowStride is 1; that of an axis of one element
// may be any.
type Product[T Float] struct {
	M, N, K     int
	Alpha, Beta T
	A, B, C     Matrix
	Finish      Finish[T]
	// Weight tells that B is the weight of a layer, of whose rows threads have the same parts when they update it: where several compute the
	// product they do not all read all of B if that can be. The bits do not depend on it.
	Weight bool
	// Ahead is what the thread that computes the product alone needs next, and nil where there are several. It is fetched behind what a
	// product of several rows and columns needs itself, as much as there is time for, and the rest is left in it for the next product.
	Ahead *Ahead

	// Count is the number of products of a batch, which differ in where their matrices start: Offsets returns that for each of
	// them, in elements from the Start of each matrix. It is called from several goroutines, and may be nil if Count is at
	// most 1. The zero Count stands for 1.
	Count   int
	Offsets func(product int) (a, b, c int)

	// Source is what the elements of B are, where C is of float32, or those of A where C has a single column; see ReadsSource.
	Source Source

	elements elements // of A and B; K counts words of them if they are smaller than T
	terms    int      // elements along k, if they are smaller
	rounds   bool     // C is of bfloat16
	keepsA   bool     // A is used where it lies
	others   int      // further products that the whole was divided into, along k
}

// Strided returns the Offsets of a batch whose products are so many elements apart.
func Strided(a, b, c int) func(product int) (int, int, int) {
	return func(product int) (int, int, int) { return product * a, product * b, product * c }
}

// Scratch returns the bytes of temporary memory that Run takes. It looks at no memory, and of strides at whether they are 1 and
// multiples of half a page alone; Alpha, Beta, Source and all else matter, so that p must be what Run is called for.
func (p Product[T]) Scratch() int {
	if p.empty() || p.K == 0 || p.isDot() || p.isDistant() {
		return 0
	}
	if p.exchanges() {
		x := p.exchanged(nil)
		return p.exchangedBytes() + x.wholeBytes()
	}
	if p.splits() {
		return p.splitBytes()
	}
	return p.wholeBytes()
}

// wholeBytes is Scratch for a product that is neither divided along k nor exchanged.
func (p *Product[T]) wholeBytes() int {
	p.orient()
	var g plan
	setPlan(&g, p, p.family())
	return g.scratch()
}

// Run computes the product. The temporary memory has Scratch bytes, best aligned to 64, with any contents; if it is nil, Run
// has some of its own, which is reused. A region of t shares the work where that pays.
func (p Product[T]) Run(t *parallel.Thread, temporary unsafe.Pointer) {
	switch {
	case p.empty():
	case p.isDistant():
		p.runDistant(t)
	case p.K == 0 || p.Alpha == 0:
		p.orient()
		p.scale()
		p.finishAll()
	case p.isDot():
		p.runDots(t)
		p.finishAll()
	case p.splits() && (t.NumThreads() > 1 || !p.splitsColumns()):
		p.runSplit(t, temporary)
	case p.exchanges():
		p.runExchanged(t, temporary)
	default:
		p.runWhole(t, temporary)
	}
}

// runWhole is Run for a product of some terms that is not divided along k.
func (p *Product[T]) runWhole(t *parallel.Thread, temporary unsafe.Pointer) {
	j := takeJob[T]()
	j.product = *p
	j.run(t, temporary)
	j.release()
}

func (p *Product[T]) empty() bool { return p.M == 0 || p.N == 0 }

func (p *Product[T]) isDot() bool { return p.M == 1 && p.N == 1 && p.elements == floats }

func (p *Product[T]) count() int { return max(1, p.Count) }

// offsets returns where the matrices of a product of the batch start, in bytes from those of the first.
func (p *Product[T]) offsets(product int) (a, b, c int) {
	if p.Offsets == nil {
		return 0, 0, 0
	}
	a, b, c = p.Offsets(product)
	size := p.elementBytes()
	if p.N == 1 {
		return a * p.Source.size(size), b * size, c * p.resultBytes()
	}
	return a * size, b * p.Source.size(size), c * p.resultBytes()
}

// orient makes p a product whose C has adjacent columns, the transposed one if need be, and a single column a single
// row, whatever is adjacent. Where there is a choice it makes one with a single row if it can, even if B must be packed
// for it, or one whose B needs no packing.
func (p *Product[T]) orient() {
	keeps, turns := p.N == 1 || p.C.ColumnStride == 1, p.M == 1 || p.C.RowStride == 1
	if p.isRow() {
		keeps = p.M == 1
	} else if keeps && turns {
		switch whole := p.K >= 32; {
		case p.M == 1 && (whole || p.B.ColumnStride == 1):
		case p.N == 1 && (whole || p.A.RowStride == 1):
			keeps = false
		default:
			keeps = p.N == 1 || p.B.ColumnStride == 1
		}
	}
	if keeps {
		return
	}
	p.M, p.N = p.N, p.M
	p.A, p.B, p.C = p.B.Transposed(), p.A.Transposed(), p.C.Transposed()
	for i, plus := range p.Finish.Plus {
		p.Finish.Plus[i] = plus.Transposed()
	}
	if offsets := p.Offsets; offsets != nil {
		p.Offsets = func(product int) (int, int, int) {
			a, b, c := offsets(product)
			return b, a, c
		}
	}
}

// scale computes C = Beta*C.
func (p *Product[T]) scale() {
	size := p.resultBytes()
	for product := range p.count() {
		_, _, start := p.offsets(product)
		for i := range p.M {
			first := unsafe.Add(p.C.Start, start+i*p.C.RowStride*size)
			if p.Beta == 0 {
				clear(unsafe.Slice((*byte)(first), p.N*size))
				continue
			}
			row := unsafe.Slice((*T)(first), p.N)
			for j := range row {
				row[j] *= p.Beta
			}
		}
	}
}
