package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
)

// matrixSizes returns the axes of operand i in front of its matrices, and their sizes. It fails unless there are two axes.
func (c *Call) matrixSizes(i int) (batch []int, rows, columns int) {
	shape := c.Inputs[i].Shape
	split := len(shape) - 2
	if split < 0 {
		c.Fail(fault.ErrShape, fmt.Sprintf("%s has shape %s, want (...,rows,columns)", c.Operator.Inputs[i], fault.FormatShape(shape)))
	}
	return shape[:split:split], shape[split], shape[split+1]
}

// squareSize is matrixSizes of operand 0, which fails unless its matrices have as many rows as columns.
func (c *Call) squareSize() (batch []int, size int) {
	batch, rows, columns := c.matrixSizes(0)
	if rows != columns {
		c.Fail(fault.ErrShape, fmt.Sprintf("%s has shape %s, want (...,n,n)", c.Operator.Inputs[0], fault.FormatShape(c.Inputs[0].Shape)))
	}
	return batch, rows
}

// cubes counts so many operations for each cube of the smaller size of a matrix of operand 0, times how often the larger one has it.
func cubes(c *Call, operations float64) int64 {
	batch, rows, columns := c.matrixSizes(0)
	count, small := 1, min(rows, columns)
	for _, n := range batch {
		count *= n
	}
	return int64(operations * float64(count) * float64(rows) * float64(columns) * float64(small))
}

// What a matrix takes beside the operations that are counted, in nanoseconds: by kernels of package factor, and by LAPACK.
const (
	beforeFactoring = 400
	beforeQR        = 1_500
	beforeLAPACK    = 4_000
)

// briefFactoring returns the Brief of operators on matrices.
func briefFactoring(before int64) func(c *Call) bool {
	return func(c *Call) bool {
		count := int64(1)
		for _, o := range slices.Concat(c.Inputs, c.Outputs) {
			batch := Operand{Shape: o.Shape[:max(0, len(o.Shape)-2)]}
			count = max(count, batch.elements())
		}
		return c.areFew(0) && c.Operator.Work(c)+before*count <= briefWork
	}
}

// lowerMatrices lets the kernel have temporary memory for operands and results that it wants in row-major order.
func lowerMatrices(_ *Call, l *Lowered) {
	views := make([]device.View, 0, 4)
	for _, v := range slices.Concat(l.Inputs, l.Outputs) {
		views = append(views, layoutOf(v))
	}
	l.Scratch = cpu.LinesScratch(views...)
}

// adjoint returns the conjugate transposed matrices of a.
func (r *Rule) adjoint(a Value) Value { return r.Conj(r.swapLast(a)) }

// product returns a·b.
func (r *Rule) product(a, b Value) Value { return r.Apply("matmul", nil, a, b) }

// identity returns the matrix of so many rows that is ones on the diagonal, with the element type of like.
func (r *Rule) identity(size int, like Value) Value {
	ones := r.BroadcastTo(r.Constant(1, like), []int{size})
	return r.Apply("embed_diagonal", EmbedDiagonalParams{[]int{size, size}, 0, 0, 1}, ones)
}

// diagonals returns matrices that have the last axis of a on the diagonal.
func (r *Rule) diagonals(a Value) Value {
	shape := a.Shape()
	return r.Apply("embed_diagonal", EmbedDiagonalParams{append(slices.Clone(shape), shape[len(shape)-1]), 0, -2, -1}, a)
}

// asRow returns a with its last axis as a row of a matrix.
func (r *Rule) asRow(a Value) Value {
	shape := a.Shape()
	return r.Reshape(a, slices.Insert(slices.Clone(shape), len(shape)-1, 1))
}

// asColumn returns a with its last axis as a column of a matrix.
func (r *Rule) asColumn(a Value) Value { return r.Reshape(a, append(slices.Clone(a.Shape()), 1)) }

// halved returns the lower triangle of a with half its diagonal: the Φ of Murray.
func (r *Rule) halved(a Value) Value {
	shape := a.Shape()
	factors := r.Sub(r.Constant(1, a), r.Scale(r.identity(shape[len(shape)-1], a), 0.5))
	return r.Mul(r.Apply("tril", TriangleParams{}, a), factors)
}

// inverseGaps returns 1 / (x_j − x_i) for row i and column j, and zeros on the diagonal.
func (r *Rule) inverseGaps(x Value) Value {
	shape := x.Shape()
	one := r.identity(shape[len(shape)-1], x)
	gaps := r.Sub(r.asRow(x), r.asColumn(x))
	return r.Div(r.Sub(r.Constant(1, x), one), r.Add(gaps, one))
}
