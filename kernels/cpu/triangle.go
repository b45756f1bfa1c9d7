package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// tril copies what each row of the matrices Inputs[0] has up to the diagonal Integers[0], counted upward from the main one, and
// triu what it has from there on. All else in Outputs[0] is zero.
var (
	_ = register("tril", forAll(triangle(func(row, diagonal, columns int) (lo, hi int) { return 0, after(row, diagonal+1, columns) }))...)
	_ = register("triu", forAll(triangle(func(row, diagonal, columns int) (lo, hi int) { return after(row, diagonal, columns), columns }))...)
)

// after returns the column so many behind that of row on the main diagonal, or the nearest end of the row.
func after(row, columns, length int) int { return min(max(row+columns, 0), length) }

// triangle copies the columns that kept gives for each row.
func triangle(kept func(row, diagonal, columns int) (lo, hi int)) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		output, input, diagonal := a.Outputs[0], a.Inputs[0], int(a.Integers[0])
		clearView(t, output)
		last := len(output.Shape) - 1
		rows, columns, size := output.Shape[last-1], output.Shape[last], output.DType.Size()
		n := newOrderedNest(part(output, 0, last), part(input, 0, last))
		if n.count == 0 {
			return nil
		}
		to, from := output.Strides[last]*size, input.Strides[last]*size
		t.ForCost(n.count, light*float64(columns), func(_ *parallel.Thread, lo, hi int) {
			var c cursor
			c.seek(n, lo)
			for line := lo; line < hi; line++ {
				first, end := kept(line%rows, diagonal, columns)
				if first < end {
					move(unsafe.Add(c.pointer(0), first*to), to, unsafe.Add(c.pointer(1), first*from), from, end-first, size)
				}
				c.advance(1)
			}
		})
		return nil
	}
}
