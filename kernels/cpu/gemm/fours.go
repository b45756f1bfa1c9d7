package gemm

import "unsafe"

// A vector of the last columns of a product is mostly empty where these are few, but takes as long as others. Tiles of fours have four rows
// of four columns in a vector instead.
const (
	foursColumns = 4
	foursHeight  = 6  // the most vectors of a tile
	foursRows    = 32 // the fewest rows for which they pay
)

// takesFours tells whether so many columns of the tile's panel, fewer than a vector, are computed by tiles of fours.
func (f *family[T]) takesFours(t *tile[T], rows, columns int) bool {
	return f.fours != nil && columns > 0 && columns <= foursColumns && rows >= foursRows && t.depth%4 == 0 && t.aStep == int(unsafe.Sizeof(t.alpha))
}

// multiplyFours computes a panel of at most foursColumns columns. Of rows that are no multiple of four some are
// computed twice, unless they are added to.
func (f *family[T]) multiplyFours(t *tile[T], a, c unsafe.Pointer, rows, columns int) {
	t.mask = f.mask(columns)
	fours, compute := rows/4, f.fours
	if t.beta == 0 {
		fours = pieces(rows, 4)
	}
	for row := 0; row < rows; row += t.rows {
		if fours == 0 {
			t.rows, compute = rows-row, f.kernels[0]
		} else {
			t.rows = min(fours/pieces(fours, foursHeight), rows/4) * 4
			fours -= t.rows / 4
			row = min(row, rows-t.rows)
		}
		t.a, t.c = unsafe.Add(a, row*t.aRow), unsafe.Add(c, row*t.cRow)
		compute((*byte)(unsafe.Pointer(t)))
	}
}
