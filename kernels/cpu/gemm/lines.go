package gemm

import "unsafe"

// lineTail is the most elements of a square of vectors.
const lineTail = 16 * 16

// multiplyLines multiplies a row of A by columns of B that are adjacent along k, a vector of columns at a time: squares of them
// by the kernel, which transposes them, and the steps after the squares from a copy. The columns are whole vectors.
func (j *job[T]) multiplyLines(t *paddedTile[T], a, c unsafe.Pointer, columns int) {
	lanes, steps, step := j.family.lanes, t.depth, t.bStep
	b := t.b
	rest := steps % lanes
	whole := steps - rest
	t.depth, t.rows, t.mask = steps/lanes, rest, j.family.mask(lanes)
	for column := 0; column < columns; column += lanes {
		for k := range rest {
			for i := range lanes {
				t.tail[k*lanes+i] = *(*T)(unsafe.Add(b, (column+i)*step+(whole+k)*j.size))
			}
		}
		t.a, t.b, t.c, t.next = a, unsafe.Add(b, column*step), unsafe.Add(c, column*j.size), uintptr(unsafe.Pointer(&t.tail))
		j.family.line((*byte)(unsafe.Pointer(&t.tile)))
	}
	t.depth = steps
}
