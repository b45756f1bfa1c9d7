package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// direct is all that the units of most little products need, which have one block of k and use A where it lies. It is short: what a
// processor fetches from another takes as long as hundreds of multiply-adds a cache line.
type direct[T Float] struct {
	tile[T]        // of all of A, B and C
	columns, width int32
	strips, across int32          // into which rows and columns are cut
	byRows         bool           // the strips are rows, of which a thread computes all that it has together
	packed         unsafe.Pointer // where units pack their panels of B, if they do
	source         Source
	bColumn        int // from column to column of B that is packed, in bytes
	finishes       bool
	fetchesRows    bool
}

// Where B is small each thread computes some rows of C in one piece, and the regions see to it that they end together.
// There are at least so many rows for each, for tiles to be high.
const (
	sharedBytes = 128 << 10 // of B at most
	leastRows   = 12
)

// runDirect computes a product by direct units where it has them.
func (j *job[T]) runDirect(t *parallel.Thread, temporary unsafe.Pointer) (done bool) {
	p, x, d, size := &j.part, &j.product, &j.direct, j.size
	if x.Count > 1 || j.blocks > 1 || j.packA || j.isRow || j.turnsB || j.m > j.chunkRows || j.columns < j.n || t.NumThreads() == 1 {
		return false
	}
	work := j.work(j.m, j.n, j.k)
	p.firstRow, p.lastRow, p.chunks = 0, j.m, 1
	p.firstColumn, p.firstBlock, p.lastBlock, p.packsPanels, j.ownPanels = 0, 0, 1, j.packB, 1
	j.share(t.NumThreads(), 1, pieces(j.n, j.width), work)
	if j.packB && p.strips > 1 {
		return false // Several units meet the same panel.
	}
	byRows := !j.packB && j.m >= leastRows*t.NumThreads() && j.k*j.n*size <= sharedBytes
	if byRows {
		p.strips, p.across = j.m, 1
	}
	a, b, c := x.offsets(0)
	d.a, d.b, d.c = unsafe.Add(x.A.Start, a), unsafe.Add(x.B.Start, b), unsafe.Add(x.C.Start, c)
	d.depth, d.rows, d.alpha, d.beta = j.k, j.m, x.Alpha, x.Beta
	d.aRow, d.aStep, d.bStep, d.cRow = x.A.RowStride*size, x.A.ColumnStride*size, x.B.RowStride*j.bSize, x.C.RowStride*size
	d.columns, d.strips, d.across, d.width = int32(j.n), int32(p.strips), int32(p.across), int32(j.width)
	d.fetchesRows = j.fetchesRows
	d.packed, d.bColumn, d.finishes = nil, x.B.ColumnStride*j.bSize, !x.Finish.isNothing()
	d.byRows, d.source = byRows, x.Source
	if j.packB {
		d.packed = j.memory(temporary)
	}
	units := p.strips * p.across
	if byRows {
		before, _ := t.SetChunkSize(pieces(units, t.NumThreads()))
		t.ForCost(units, work/float64(units), j.multiplyingDirect)
		_, _ = t.SetChunkSize(before)
	} else {
		runUnits(t, units, work/float64(units), j.multiplyingDirect)
	}
	d.packed = nil
	d.forget()
	return true
}

// multiplyDirect computes the direct units from lo to before hi.
func (j *job[T]) multiplyDirect(thread *parallel.Thread, lo, hi int) {
	t, d := &j.tiles[thread.ID()].tile, &j.direct
	size, strips, across, width, columns := int(unsafe.Sizeof(t.alpha)), int(d.strips), int(d.across), int(d.width), int(d.columns)
	panels := pieces(columns, width)
	t.depth, t.aRow, t.aStep, t.bStep, t.cRow, t.alpha, t.beta = d.depth, d.aRow, d.aStep, d.bStep, d.cRow, d.alpha, d.beta
	together := 1
	if d.byRows {
		together = hi - lo
	}
	packed := d.packed
	if packed != nil { // One panel after the other, where the first one has its place.
		packed = unsafe.Add(packed, panels*(lo%across)/across*width*d.depth*size)
		t.bStep = width * size
	}
	for number := lo; number < hi; number += together {
		strip, piece := number/across, number%across
		first, last := d.rows*strip/strips, d.rows*(strip+together)/strips
		for panel := panels * piece / across; panel < panels*(piece+1)/across; panel++ {
			column := panel * width
			cut := min(width, columns-column)
			t.b = unsafe.Add(d.b, column*d.bColumn)
			if packed != nil {
				j.family.packPanel(d.source, packed, t.b, width, cut, d.depth, d.bStep, d.bColumn)
				t.b = packed
			}
			c := unsafe.Add(d.c, first*d.cRow+column*size)
			if d.fetchesRows {
				u := unit{firstPanel: panels * piece / across, lastPanel: panels * (piece + 1) / across, firstRow: first, lastRow: last}
				t.soon, t.later = j.rowsToCome(u, panel, 0, uintptr(d.b))
				t.fetchNext()
			}
			j.multiplyPanel(t, unsafe.Add(d.a, first*d.aRow), c, last-first, cut)
			if d.finishes {
				j.finish(c, first, column, last-first, cut)
			}
		}
	}
	t.forget()
}
