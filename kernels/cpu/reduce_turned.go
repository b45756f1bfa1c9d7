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

// byTurnedRows reduces short rows, many at a time: turned round they are columns.
func (r reducer[A, S]) byTurnedRows(t *parallel.Thread, v *reduction) {
	count, most := v.reduced.count, r.turnedRows(v)
	blocks := (v.kept.count + most - 1) / most
	t.ForCost(blocks, light/2*float64(count*most), func(_ *parallel.Thread, lo, hi int) {
		w := workspaces.Get().(*workspace)
		defer workspaces.Put(w)
		var c cursor
		c.seek(v.kept, lo*most)
		for block := lo; block < hi; block++ {
			rows := min(most, v.kept.count-block*most)
			to := c
			totals := slice[S](unsafe.Pointer(&w.totals), rows)
			if r.byRowsAsTheyAre(w, v, totals, &c) {
				r.storeAll(&to, totals, count)
				continue
			}
			x, size := unsafe.Pointer(&w.turned), v.kept.operands[1].size
			v.turn(x, &c, rows)
			if r.load != nil {
				wide := slice[A](unsafe.Pointer(&w.loaded), rows*count)
				r.load(wide, x)
				x, size = unsafe.Pointer(&w.loaded), int(unsafe.Sizeof(wide[0]))
			}
			r.fold.columns(w, totals, x, rows*size, count, 0)
			r.storeAll(&to, totals, count)
		}
	})
}

// fewestInRow is the elements from which on a row is not turned where there is another way.
const fewestInRow = 8

// byRowsAsTheyAre reduces the next rows from where c is on and moves c behind them, unless it returns false: then they have to be turned.
func (r reducer[A, S]) byRowsAsTheyAre(w *workspace, v *reduction, totals []S, c *cursor) bool {
	count, size := v.reduced.count, v.kept.operands[1].size
	if r.shortRows == nil || count < fewestInRow || v.reduced.stride(0) != size {
		return false
	}
	stride := v.kept.stride(1)
	if r.load == nil {
		for len(totals) > 0 {
			part := min(c.rest, len(totals))
			if !r.shortRows(w, totals[:part], c.pointer(1), stride, count) {
				return false
			}
			totals = totals[part:]
			c.advance(part)
		}
		return true
	}
	if stride != count*size || c.rest < len(totals) {
		return false
	}
	x := slice[A](unsafe.Pointer(&w.loaded), len(totals)*count)
	r.load(x, c.pointer(1))
	if !r.shortRows(w, totals, unsafe.Pointer(&x[0]), count*int(unsafe.Sizeof(x[0])), count) {
		return false
	}
	c.advance(len(totals))
	return true
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
