package gemm

// ahead is memory that kernels fetch to the second cache while a unit is computed: what lies behind its rows of A, of added matrices and of
// C is what its thread needs next, as a rule. Where B stays in that cache this takes the place of what kernels fetch of B.
type ahead struct {
	parts [4]addresses
	count int
}

// addresses are those from one to before another.
type addresses struct{ from, to uintptr }

// aheadOf returns what is ahead of a unit.
func (j *job[T]) aheadOf(u unit) (f ahead) {
	if !j.keepsB || j.packA || u.lastRow == j.m {
		return f
	}
	x := &j.product
	aOffset, _, cOffset := x.offsets(j.part.firstProduct + u.product)
	f.add(x.C, cOffset, u, j.n, j.size) // the last to be fetched
	f.add(x.Finish.Plus[1], 0, u, j.n, j.size)
	f.add(x.Finish.Plus[0], 0, u, j.n, j.size)
	f.add(x.A, aOffset, u, j.k, j.size)
	return f
}

// add adds as many rows of m as the unit has, those behind them, if their elements are adjacent.
func (f *ahead) add(m Matrix, offset int, u unit, columns, size int) {
	if m.Start == nil || m.ColumnStride != 1 || m.RowStride != columns {
		return
	}
	row := columns * size
	from := uintptr(m.Start) + uintptr(offset+u.lastRow*row)
	f.parts[f.count] = addresses{from, from + uintptr((u.lastRow-u.firstRow)*row)}
	f.count++
}

// next returns what is to be fetched next, or otherwise if all is.
func (f *ahead) next(otherwise uintptr) uintptr {
	if f.count == 0 {
		return otherwise
	}
	return f.parts[f.count-1].from
}

// pass tells that all before an address is fetched.
func (f *ahead) pass(end uintptr) {
	if f.count == 0 {
		return
	}
	if last := &f.parts[f.count-1]; end < last.to {
		last.from = end
	} else {
		f.count--
	}
}
