package cpu

import (
	"slices"
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// The largest piece of a product that one call of gonum computes. It stays below four of gonum's blocks of 64×64, from
// where on gonum starts goroutines of its own.
const (
	tileRows    = 64
	tileColumns = 64
	tileDepth   = 512
)

// tileWork is the number of multiplications below which a tile is not made smaller to give every thread one.
const tileWork = 1 << 18

// tileProduct computes c += a·b for one tile; only b may be transposed.
type tileProduct[T dtype.Float] func(a, b, c matrix[T], m, n, k int)

// multiplying is the kernel of Outputs[0] = Inputs[0]·Inputs[1] over the last two axes, for every index of the axes before,
// in tiles that inner computes.
func multiplying[T dtype.Float](inner tileProduct[T]) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		output := a.Outputs[0]
		if output.Count() == 0 {
			return nil
		}
		p := arrange(&scratch{memory: a.Scratch}, output, a.Inputs[0], a.Inputs[1])
		for _, c := range p.before {
			copyView(t, c.to, c.from)
		}
		multiply(t, inner, p)
		for _, c := range p.after {
			copyView(t, c.to, c.from)
		}
		return nil
	}
}

// tiledScratch is MatMulScratch for products in tiles.
func tiledScratch(output, x, y device.View) int {
	s := &scratch{dry: true}
	arrange(s, output, x, y)
	return demand(s.bytes)
}

// matrixProduct is how a matrix product is computed: output and x are stored by rows, y by columns or by rows.
type matrixProduct struct {
	output, x, y device.View
	byColumns    bool
	before       []transfer // of operands
	after        []transfer // of the result
}

// few is the number of rows of a product below which it does not pay to transpose the second operand for it.
const few = 8

// arrange brings operands and result of a product that has elements into the form that multiply wants. By columns y makes
// dot products along k, on which gonum is fastest.
func arrange(s *scratch, output, x, y device.View) (p matrixProduct) {
	rank := len(output.Shape)
	m, n, k := output.Shape[rank-2], output.Shape[rank-1], x.Shape[rank-1]
	switch {
	case k == 0:
		return matrixProduct{output: output, x: x, y: y}
	case !isRows(output) && isRows(swapped(output)):
		return arrange(s, swapped(output), swapped(y), swapped(x))
	case !isRows(output):
		result := newPacked(s, output)
		p = arrange(s, result, x, y)
		p.after = append(p.after, transfer{output, result})
		return p
	case n < min(m, few) && !isRows(x) && isRows(swapped(x)):
		// The transposed product leaves x as it is.
		result := newPacked(s, swapped(output))
		p = arrange(s, result, swapped(y), swapped(x))
		p.after = append(p.after, transfer{output, swapped(result)})
		return p
	}
	p = matrixProduct{output: output, x: x, y: y, byColumns: isRows(swapped(y))}
	var once transfer
	if !isRows(x) {
		p.x, once = packing(s, x)
		p.before = append(p.before, once)
	}
	if !p.byColumns && !(isRows(y) && m < few) {
		p.y, once = packing(s, swapped(y))
		p.y, p.byColumns = swapped(p.y), true
		p.before = append(p.before, once)
	}
	return p
}

func multiply[T dtype.Float](t *parallel.Thread, inner tileProduct[T], p matrixProduct) {
	output, x, y := p.output, p.x, p.y
	rank := len(output.Shape)
	m, n, k := output.Shape[rank-2], output.Shape[rank-1], x.Shape[rank-1]
	if k == 0 {
		clearView(t, output)
		return
	}
	batch := newOrderedNest(leading(output), leading(x), leading(y))
	rows, columns := tiles(batch.count, m, n, k)
	down, across := (m+rows-1)/rows, (n+columns-1)/columns
	cost := 0.15 * float64(min(rows, m)*min(columns, n)*k)
	t.ForCost(batch.count*down*across, cost, func(_ *parallel.Thread, lo, hi int) {
		var at cursor
		for unit := lo; unit < hi; unit++ {
			row, column := unit/across%down*rows, unit%across*columns
			at.seek(batch, unit/(down*across))
			c := newMatrix[T](output, at.pointer(0), false).from(row, column, min(rows, m-row), min(columns, n-column))
			a := newMatrix[T](x, at.pointer(1), false).from(row, 0, c.rows, k)
			b := newMatrix[T](y, at.pointer(2), p.byColumns).from(0, column, k, c.columns)
			for row := range c.rows {
				clear(c.elements[row*c.leading:][:c.columns])
			}
			for depth := 0; depth < k; depth += tileDepth {
				part := min(tileDepth, k-depth)
				inner(a.from(0, depth, c.rows, part), b.from(depth, 0, part, c.columns), c, c.rows, c.columns, part)
			}
		}
	})
}

// tiles returns the extent of the pieces in which the products are shared: smaller ones where there are few.
func tiles(batch, m, n, k int) (rows, columns int) {
	rows, columns = tileRows, tileColumns
	for rows > 8 && batch*((m+rows-1)/rows)*((n+columns-1)/columns) < 16 && rows*columns*k > tileWork {
		if columns > rows {
			columns /= 2
		} else {
			rows /= 2
		}
	}
	return rows, columns
}

// matrix is a matrix stored by rows, or, if transposed, by columns.
type matrix[T any] struct {
	elements      []T
	rows, columns int
	leading       int // elements from one row, or column, to the next
	transposed    bool
}

// newMatrix returns the last two axes of view, with the first element at p, to be read by rows or by columns.
func newMatrix[T any](view device.View, p unsafe.Pointer, byColumns bool) matrix[T] {
	rank := len(view.Shape)
	m := matrix[T]{rows: view.Shape[rank-2], columns: view.Shape[rank-1], transposed: byColumns}
	rows, columns := m.rows, m.columns
	m.leading = view.Strides[rank-2]
	if m.transposed {
		rows, columns = columns, rows
		m.leading = view.Strides[rank-1]
	}
	m.leading = max(m.leading, columns)
	if rows == 1 {
		m.leading = columns
	}
	m.elements = slice[T](p, (rows-1)*m.leading+columns)
	return m
}

// from returns the part of m with the given number of rows and columns that begins at row and column.
func (m matrix[T]) from(row, column, rows, columns int) matrix[T] {
	start := row*m.leading + column
	end := start + (rows-1)*m.leading + columns
	if m.transposed {
		start = column*m.leading + row
		end = start + (columns-1)*m.leading + rows
	}
	m.elements, m.rows, m.columns = m.elements[start:end], rows, columns
	return m
}

func (m matrix[T]) trans() blas.Transpose {
	if m.transposed {
		return blas.Trans
	}
	return blas.NoTrans
}

var native gonum.Implementation

func gonum32(a, b, c matrix[float32], m, n, k int) {
	if skipsZeros(a, b) {
		multiplyInOrder(a, b, c, m, n, k)
		return
	}
	native.Sgemm(blas.NoTrans, b.trans(), m, n, k, 1, a.elements, a.leading, b.elements, b.leading, 1, c.elements, c.leading)
}

func gonum64(a, b, c matrix[float64], m, n, k int) {
	if skipsZeros(a, b) {
		multiplyInOrder(a, b, c, m, n, k)
		return
	}
	native.Dgemm(blas.NoTrans, b.trans(), m, n, k, 1, a.elements, a.leading, b.elements, b.leading, 1, c.elements, c.leading)
}

// skipsZeros reports whether gonum would lose a NaN: where b is not transposed it skips the zeros of a, so that 0·Inf and
// 0·NaN come out as 0.
func skipsZeros[T dtype.Float](a, b matrix[T]) bool {
	if b.transposed || !slices.Contains(a.elements, 0) {
		return false
	}
	var s0, s1, s2, s3 T // become NaN by an infinity or a NaN
	for row := range b.rows {
		line := b.elements[row*b.leading:][:b.columns]
		for ; len(line) >= 4; line = line[4:] {
			s0, s1, s2, s3 = s0+(line[0]-line[0]), s1+(line[1]-line[1]), s2+(line[2]-line[2]), s3+(line[3]-line[3])
		}
		for _, v := range line {
			s0 += v - v
		}
	}
	sum := s0 + s1 + s2 + s3
	return sum != sum
}

// multiplyInOrder computes c += a·b, element by element in the order of k.
func multiplyInOrder[T dtype.Float](a, b, c matrix[T], m, n, k int) {
	bRow, bColumn := b.leading, 1
	if b.transposed {
		bRow, bColumn = 1, b.leading
	}
	for i := range m {
		line := c.elements[i*c.leading:][:n]
		for l := range k {
			factor := a.elements[i*a.leading+l]
			from := l * bRow
			for j := range line {
				line[j] += T(factor * b.elements[from])
				from += bColumn
			}
		}
	}
}
