package ops

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
)

// TriangleParams are the parameters of tril and triu.
type TriangleParams struct {
	Diagonal int `doc:"how far the outermost diagonal that stays is above the main one" default:"0"`
}

// The triangles of matrices in the last two axes.
var (
	Tril = triangle("tril", "matrices with zeros above a diagonal")
	Triu = triangle("triu", "matrices with zeros below a diagonal")
)

func triangle(name, doc string) *Operator {
	return Register(&Operator{
		Name: name, Doc: doc, Inputs: []string{"x"}, Params: TriangleParams{}, Work: perElement,
		Infer: func(c *Call) {
			if rank := len(c.Inputs[0].Shape); rank < 2 {
				c.Fail(fault.ErrShape, fmt.Sprintf("x has %d axes, want two or more", rank))
			}
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			shape := c.Inputs[0].Shape
			rows, columns := shape[len(shape)-2], shape[len(shape)-1]
			l.Integers = []int64{int64(min(max(c.Params.(TriangleParams).Diagonal, -rows), columns))} // beyond, nothing changes
		},
		Gradient: func(r *Rule) { r.Set(0, r.Apply(name, r.Params(), r.Upstream())) },
		Samples: []Sample{
			{Shapes: [][]int{{3, 4}}, Params: TriangleParams{}}, {Shapes: [][]int{{2, 4, 3}}, Params: TriangleParams{1}}, {Shapes: [][]int{{4, 4}}, Params: TriangleParams{-2}},
			{Shapes: [][]int{{2, 3}}, Params: TriangleParams{9}}, {Shapes: [][]int{{2, 3}}, Params: TriangleParams{-9}}, {Shapes: [][]int{{0, 3}}, Params: TriangleParams{}},
			{Shapes: [][]int{{2, 3, 0}}, Params: TriangleParams{1}}, {Shapes: [][]int{{70, 90}}, Params: TriangleParams{5}},
		},
	})
}
