package gemm

import "unsafe"

// Ahead is memory that kernels fetch to the second cache while they compute, because their thread needs it next, in the place of what they
// fetch of B otherwise. The zero Ahead is none.
type Ahead struct {
	parts [4]addresses
	count int
}

// Add adds the bytes at start, which are fetched before what was added before. There is room for four such pieces of memory;
// further ones are ignored.
func (f *Ahead) Add(start unsafe.Pointer, bytes int) {
	f.addAddresses(uintptr(start), uintptr(start)+uintptr(bytes))
}

// addresses are those from one to before another.
type addresses struct{ from, to uintptr }

// aheadOf returns what the product itself needs next. Where B stays in the second cache it is what lies behind the
// unit's rows of A, of added matrices and of C; in the last unit of a product of a batch it is B of the next product.
func (j *job[T]) aheadOf(u unit) (f Ahead) {
	p, x := &j.part, &j.product
	if next := p.firstProduct + u.product + 1; x.count() > 1 && u.lastRow == p.lastRow && next < p.lastProduct && j.fetchesB() {
		_, offset, _ := x.offsets(next)
		from := uintptr(x.B.Start) + uintptr(offset)
		f.addAddresses(from, from+uintptr(j.k*x.B.RowStride*j.size))
		return f
	}
	if !j.keepsB || j.packA || u.lastRow == j.m {
		return f
	}
	aOffset, _, cOffset := x.offsets(p.firstProduct + u.product)
	f.add(x.C, cOffset, u, j.n, j.size) // the last to be fetched
	f.add(x.Finish.Plus[1], 0, u, j.n, j.size)
	f.add(x.Finish.Plus[0], 0, u, j.n, j.size)
	f.add(x.A, aOffset, u, j.k, j.size)
	return f
}

// fetchesB tells whether B of the next product of a batch is worth fetching: it is used where it lies, by rows, and not
// yet in the second cache.
func (j *job[T]) fetchesB() bool {
	return !j.packB && j.part.across == 1 && j.k*j.n*j.size >= nearBytes/2 && j.product.B.RowStride >= j.n
}

// add adds as many rows of m as the unit has, those behind them, if their elements are adjacent.
func (f *Ahead) add(m Matrix, offset int, u unit, columns, size int) {
	if m.Start == nil || m.ColumnStride != 1 || m.RowStride != columns {
		return
	}
	row := columns * size
	from := uintptr(m.Start) + uintptr(offset+u.lastRow*row)
	f.addAddresses(from, from+uintptr((u.lastRow-u.firstRow)*row))
}

func (f *Ahead) addAddresses(from, to uintptr) {
	if f.count < len(f.parts) {
		f.parts[f.count] = addresses{from, to}
		f.count++
	}
}

// What kernels fetch in so many steps.
const (
	fetchedBytes = 256
	fetchedSteps = 8

	fetchedColumns = 8
)

// fetchNext makes kernels fetch the first of what is left: of rows of B that are read soon, or next, of columns that are packed next, of
// what is ahead, and then of the next panel.
func (t *tile[T]) fetchNext() {
	if t.soon.left <= 0 && t.later.left > 0 {
		t.soon, t.later = t.later, rowsAhead{}
	}
	if t.soon.left > 0 {
		t.next, t.step, t.rowsAtOnce = t.soon.from, t.soon.step, t.soon.atOnce
		return
	}
	t.rowsAtOnce = 0
	if t.columns.tiles > 0 {
		t.next, t.step = t.columns.from, t.columns.step
		return
	}
	t.next, t.step = t.left().from, 0
}

// left returns the first part of what is left to be fetched.
func (t *tile[T]) left() *addresses {
	if t.ahead != nil && t.ahead.count > 0 {
		return &t.ahead.parts[t.ahead.count-1]
	}
	return &t.panel
}

// hasFetched takes note of what the kernel of a tile has fetched, or had to fetch: tiles of cut columns and of few sums do not.
func (t *tile[T]) hasFetched() {
	if t.rowsAtOnce > 0 {
		fetched := (t.depth - 1) / fetchedSteps * t.rowsAtOnce
		t.soon.from += uintptr(fetched * t.soon.step)
		t.soon.left -= fetched
		t.fetchNext()
		return
	}
	if t.columns.tiles > 0 {
		t.columns.from += uintptr(fetchedColumns * t.columns.step)
		t.columns.tiles--
		t.fetchNext()
		return
	}
	part := t.left()
	if part.from += uintptr((t.depth - 1) / fetchedSteps * fetchedBytes); part.from >= part.to {
		if part == &t.panel {
			t.panel = addresses{}
		} else {
			t.ahead.count--
		}
	}
	t.fetchNext()
}
