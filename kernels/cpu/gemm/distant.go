package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// distantColumns are so few that the sums of all chains stay in the first cache.
const distantColumns = 128

// sumDistantRows is sumRows where there is no assembly for it.
func (j *job[T]) sumDistantRows(t *paddedTile[T], columns int) {
	bColumn := j.product.B.ColumnStride * j.bSize
	for first := 0; first < columns; first += distantColumns {
		last := min(first+distantColumns, columns)
		for chain := range t.row.sums {
			clear(t.row.sums[chain][first:last])
		}
		for k := range t.depth {
			factor, line := *(*T)(unsafe.Add(t.a, k*t.aStep)), unsafe.Add(t.b, k*t.bStep)
			sums := t.row.sums[k%chainCount][first:last]
			for i := range sums {
				sums[i] += T(factor * *(*T)(unsafe.Add(line, (first+i)*bColumn)))
			}
		}
	}
	j.joinChains(t, columns)
}

func abs(x int) int { return max(x, -x) }

// isDistant tells whether C is a row or column whose elements are not adjacent.
func (p *Product[T]) isDistant() bool {
	return p.isRow() && !p.isDot() && (p.M == 1 && p.C.ColumnStride != 1 || p.N == 1 && p.C.RowStride != 1)
}

// runDistant computes products of a single row or column in memory where the elements of C are adjacent.
func (p *Product[T]) runDistant(t *parallel.Thread) {
	p.orient()
	one, to := *p, make([]T, p.N)
	one.Count, one.Offsets = 1, nil
	one.C = Matrix{unsafe.Pointer(&to[0]), p.N, 1}
	size := int(unsafe.Sizeof(p.Alpha))
	for product := range p.count() {
		a, b, c := p.offsets(product)
		one.A.Start, one.B.Start = unsafe.Add(p.A.Start, a), unsafe.Add(p.B.Start, b)
		at := func(i int) *T { return (*T)(unsafe.Add(p.C.Start, c+i*p.C.ColumnStride*size)) }
		if p.Beta != 0 {
			for i := range to {
				to[i] = *at(i)
			}
		}
		one.Run(t, nil)
		for i, v := range to {
			*at(i) = v
		}
	}
}
