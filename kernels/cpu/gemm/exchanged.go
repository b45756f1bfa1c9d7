package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// Rows by a B whose columns are adjacent along k are, with A and B exchanged, rows that are adjacent along k by as many columns: B is
// used where it lies, and what is packed is A, which is smaller. The result is transposed when it is complete. It has the same bits.
const (
	exchangedPiece = 64  // columns that are transposed at a time
	crowdedBytes   = 256 // of the elements of a column of A at most where rows of B are crowded in the second cache of an Intel: they are read again for every panel
)

// What tests make smaller.
var (
	exchangedRows  = 128 // at most: the more there are the less of the time it takes to pack B
	exchangedTerms = 256 // at least, lest the result take as long as the product
	exchangedGain  = 3   // elements that need not be packed, at least, for one of the result
)

// exchanges tells whether a product is computed with A and B exchanged: one with as many rows as fill vectors.
func (p *Product[T]) exchanges() bool {
	if p.M > exchangedRows || p.B.RowStride != 1 || p.K < exchangedTerms || p.C.ColumnStride != 1 ||
		p.Alpha != 1 || p.Beta != 0 || p.Count > 1 || p.elements != floats || p.Source != OfProduct {
		return false
	}
	f, size := p.family(), int(unsafe.Sizeof(p.Alpha))
	if f.kernels == nil || p.M <= f.turned.height || p.M%f.lanes > 0 || p.K*(p.N-p.M) < exchangedGain*p.M*p.N {
		return false
	}
	isCrowded := features.Intel && p.B.ColumnStride*size%crowdedStep == 0
	return (!isCrowded || p.M*size <= crowdedBytes) && p.exchangedBytes() <= packedBytes && !p.splits()
}

// exchanged returns the product with A and B exchanged, whose result is at c.
func (p *Product[T]) exchanged(c unsafe.Pointer) Product[T] {
	return Product[T]{M: p.N, N: p.M, K: p.K, Alpha: 1, A: p.B.Transposed(), B: p.A.Transposed(), C: Matrix{c, p.M, 1}, Ahead: p.Ahead, keepsA: true}
}

// exchangedBytes is the length of its result.
func (p *Product[T]) exchangedBytes() int {
	return roundUp(p.M*p.N*int(unsafe.Sizeof(p.Alpha)), 64)
}

func (p *Product[T]) runExchanged(t *parallel.Thread, temporary unsafe.Pointer) {
	j := takeJob[T]()
	j.product, j.family, j.size = *p, p.family(), int(unsafe.Sizeof(p.Alpha))
	if j.packed = temporary; temporary == nil {
		j.packed = j.ownMemory(p.Scratch())
	}
	x := p.exchanged(j.packed)
	x.runWhole(t, unsafe.Add(j.packed, p.exchangedBytes()))
	t.ForCost(pieces(p.N, exchangedPiece), 0.1*float64(p.M*exchangedPiece), j.transposing)
	j.release()
}

// transposeResult transposes some pieces of the result of an exchanged product, and finishes them.
func (j *job[T]) transposeResult(_ *parallel.Thread, lo, hi int) {
	p := &j.product
	row := p.C.RowStride * j.size
	for from := lo * exchangedPiece; from < min(p.N, hi*exchangedPiece); from += exchangedPiece {
		columns, to := min(exchangedPiece, p.N-from), unsafe.Add(p.C.Start, from*j.size)
		j.family.turnMatrix(to, unsafe.Add(j.packed, from*p.M*j.size), p.M, columns, row, p.M*j.size)
		j.finish(to, 0, from, p.M, columns)
	}
}
