package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// DiagonalParams are the parameters of diagonal.
type DiagonalParams struct {
	Offset  int `doc:"columns to the right of the main diagonal; below it if negative" default:"0"`
	Rows    int `doc:"axis of the rows" default:"0"`
	Columns int `doc:"axis of the columns" default:"1"`
}

// EmbedDiagonalParams are the parameters of embed_diagonal.
type EmbedDiagonalParams struct {
	Shape   []int `doc:"shape of the result"`
	Offset  int   `doc:"columns to the right of the main diagonal; below it if negative" default:"0"`
	Rows    int   `doc:"axis of the rows" default:"0"`
	Columns int   `doc:"axis of the columns" default:"1"`
}

// Operators on diagonals.
var (
	Diagonal = Register(&Operator{
		Name: "diagonal", Doc: "a diagonal of the matrices that two axes are, as the last axis; a view", Inputs: []string{"x"}, Params: DiagonalParams{},
		Infer: func(c *Call) {
			c.Output(c.Inputs[0].DType, c.diagonalShape(c.Params.(DiagonalParams), c.Inputs[0].Shape))
		},
		View: func(c *Call, v storage.View) (storage.View, bool) {
			return diagonalOf(v, c.Params.(DiagonalParams), c.Outputs[0].Shape), true
		},
		Gradient: func(r *Rule) {
			p := r.Params().(DiagonalParams)
			r.Set(0, r.Apply("embed_diagonal", EmbedDiagonalParams{r.Shape(0), p.Offset, p.Rows, p.Columns}, r.Upstream()))
		},
		Samples: []Sample{
			{Shapes: [][]int{{3, 4}}, Params: DiagonalParams{0, 0, 1}}, {Shapes: [][]int{{3, 2, 4}}, Params: DiagonalParams{1, 0, -1}},
			{Shapes: [][]int{{4, 3}}, Params: DiagonalParams{-2, 0, 1}}, {Shapes: [][]int{{4, 3}}, Params: DiagonalParams{5, 1, 0}},
			{Shapes: [][]int{{0, 3}}, Params: DiagonalParams{0, 0, 1}},
		},
	})

	EmbedDiagonal = Register(&Operator{
		Name: "embed_diagonal", Doc: "zeros with x, whose last axis it is, written to a diagonal of the matrices that two axes are",
		Inputs: []string{"x"}, Params: EmbedDiagonalParams{},
		Infer: func(c *Call) {
			p := c.Params.(EmbedDiagonalParams)
			c.checkSizes(p.Shape)
			if want := c.diagonalShape(p.diagonal(), p.Shape); !slices.Equal(want, c.Inputs[0].Shape) {
				c.Fail(fault.ErrShape, fmt.Sprintf("x has shape %s, the diagonal %s", fault.FormatShape(c.Inputs[0].Shape), fault.FormatShape(want)))
			}
			c.Output(c.Inputs[0].DType, slices.Clone(p.Shape))
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(EmbedDiagonalParams)
			l.Outputs = append(l.Outputs, diagonalOf(l.Outputs[0], p.diagonal(), c.Inputs[0].Shape))
		},
		Gradient: func(r *Rule) {
			r.Set(0, r.Apply("diagonal", r.Params().(EmbedDiagonalParams).diagonal(), r.Upstream()))
		},
		Samples: []Sample{
			{Shapes: [][]int{{3}}, Params: EmbedDiagonalParams{[]int{3, 4}, 0, 0, 1}}, {Shapes: [][]int{{2, 3}}, Params: EmbedDiagonalParams{[]int{3, 2, 4}, 1, 0, -1}},
			{Shapes: [][]int{{2}}, Params: EmbedDiagonalParams{[]int{4, 3}, -2, 0, 1}}, {Shapes: [][]int{{0}}, Params: EmbedDiagonalParams{[]int{4, 3}, 5, 1, 0}},
		},
	})
)

func (p EmbedDiagonalParams) diagonal() DiagonalParams {
	return DiagonalParams{p.Offset, p.Rows, p.Columns}
}

// start returns where the diagonal begins.
func (p DiagonalParams) start() (row, column int) {
	return max(-max(p.Offset, -math.MaxInt), 0), max(p.Offset, 0)
}

// diagonalShape returns the shape of the diagonals of an array of the given shape. It fails unless the axes are two.
func (c *Call) diagonalShape(p DiagonalParams, shape []int) []int {
	rows, columns := c.Axis(p.Rows, len(shape)), c.Axis(p.Columns, len(shape))
	if rows == columns {
		c.Fail(fault.ErrAxis, fmt.Sprintf("axis %d is named twice", rows))
	}
	row, column := p.start()
	length := max(0, min(shape[rows]-row, shape[columns]-column))
	return append(withoutAxes(shape, rows, columns), length)
}

// withoutAxes returns sizes without those of two axes.
func withoutAxes(sizes []int, one, other int) []int {
	rest := make([]int, 0, len(sizes))
	for axis, n := range sizes {
		if axis != one && axis != other {
			rest = append(rest, n)
		}
	}
	return rest
}

// diagonalOf returns the diagonal of v, which has the given shape.
func diagonalOf(v storage.View, p DiagonalParams, shape []int) storage.View {
	rank := len(v.Shape)
	rows, columns := (p.Rows+rank)%rank, (p.Columns+rank)%rank
	if storage.Count(shape) > 0 {
		row, column := p.start()
		v.Offset += row*v.Strides[rows] + column*v.Strides[columns]
	}
	v.Strides = append(withoutAxes(v.Strides, rows, columns), v.Strides[rows]+v.Strides[columns])
	v.Shape = shape
	return v
}
