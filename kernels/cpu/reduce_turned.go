package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// canTurn reports whether the reduced elements of each output are a short row, and there are so many that it pays to turn them round.
func (r reducer[A, S]) canTurn(v *reduction) bool {
	return r.fold.columns != nil && v.reduced.count <= leaf && v.kept.count >= fewestColumns && len(v.reduced.shape) == 1
}

// turnedRows is how many rows are turned round at a time.
func (r reducer[A, S]) turnedRows(v *reduction) int {
	var a A
	var s S
	size, budget := int(unsafe.Sizeof(a)), rowBytes/max(r.passes, 1)
	most := min(lanes*leaf*8/(v.reduced.count*size), budget/size, budget/v.kept.operands[1].size, lanes*leaf*8/int(unsafe.Sizeof(s)))
	return max(lanes, most/partUnit*partUnit)
}

// byTurnedRows reduces short rows, many at a time: turned round they are columns. They stay as they are where that is faster.
func (r reducer[A, S]) byTurnedRows(t *parallel.Thread, v *reduction) {
	count, most, asTheyAre := v.reduced.count, r.turnedRows(v), r.asTheyAre(v)
	if asTheyAre != nil && r.load == nil {
		most = manyOutputs * 8
	}
	blocks := (v.kept.count + most - 1) / most
	t.ForCost(blocks, light/2*float64(count*most), func(_ *parallel.Thread, lo, hi int) {
		w := workspaces.Get().(*workspace)
		defer workspaces.Put(w)
		var c cursor
		c.seek(v.kept, lo*most)
		for block := lo; block < hi; block++ {
			rows := min(most, v.kept.count-block*most)
			to, totals := c, slice[S](unsafe.Pointer(&w.totals), rows)
			if asTheyAre != nil {
				r.rowsAsTheyAre(w, v, asTheyAre, totals, &c)
			} else {
				r.turned(w, v, totals, &c)
			}
			r.storeAll(&to, totals, count)
		}
	})
}

// turned reduces the next rows from where c is on, and moves c behind them.
func (r reducer[A, S]) turned(w *workspace, v *reduction, totals []S, c *cursor) {
	rows, count := len(totals), v.reduced.count
	x, size := unsafe.Pointer(&w.turned), v.kept.operands[1].size
	v.turn(x, c, rows)
	if r.load != nil {
		wide := slice[A](unsafe.Pointer(&w.loaded), rows*count)
		r.load.line(wide, x)
		x, size = unsafe.Pointer(&w.loaded), int(unsafe.Sizeof(wide[0]))
	}
	r.fold.columns(w, totals, x, rows*size, count, 0)
}

// fewestInRow is the elements from which on a row is not turned where there is another way.
const fewestInRow = 8

// asTheyAre returns what reduces rows that are not turned, or nil if they have to be: their elements are neighbours, and so are the rows
// where elements are loaded.
func (r reducer[A, S]) asTheyAre(v *reduction) shortRows[S] {
	count, size := v.reduced.count, v.kept.operands[1].size
	if r.fold.shortRows == nil || count < fewestInRow || v.reduced.stride(0) != size ||
		r.load != nil && (len(v.kept.shape) > 1 || v.kept.stride(1) != count*size) {
		return nil
	}
	return r.fold.shortRows()
}

// rowsAsTheyAre reduces the next rows from where c is on, and moves c behind them.
func (r reducer[A, S]) rowsAsTheyAre(w *workspace, v *reduction, reduce shortRows[S], totals []S, c *cursor) {
	count, stride := v.reduced.count, v.kept.stride(1)
	for len(totals) > 0 {
		part, from := min(c.rest, len(totals)), c.pointer(1)
		if r.load != nil {
			x := slice[A](unsafe.Pointer(&w.loaded), part*count)
			r.load.line(x, from)
			from, stride = unsafe.Pointer(&x[0]), count*int(unsafe.Sizeof(x[0]))
		}
		reduce(w, totals[:part], from, stride, count)
		totals = totals[part:]
		c.advance(part)
	}
}

// turn writes the next rows from where c is on as columns, and moves c behind them.
func (v *reduction) turn(dst unsafe.Pointer, c *cursor, rows int) {
	size := v.kept.operands[1].size
	p := plane{size: size, columns: v.reduced.count, dstRow: size, srcRow: v.kept.stride(1), dstColumn: rows * size, srcColumn: v.reduced.stride(0)}
	for done := 0; done < rows; done += p.rows {
		p.rows = min(c.rest, rows-done)
		p.copy(unsafe.Add(dst, done*size), c.pointer(1))
		c.advance(p.rows)
	}
}
