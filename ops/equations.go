package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
)

// SolveTriangularParams are the parameters of solve_triangular.
type SolveTriangularParams struct {
	Upper      bool `doc:"whether the triangle is above the diagonal, not below" default:"false"`
	Transposed bool `doc:"whether the equations are those of the transposed matrix" default:"false"`
	Unit       bool `doc:"whether the diagonal is ones, whatever is there" default:"false"`
}

// Solutions of linear equations. A second operand of one axis is a column, whose axis is missing in the result.
var (
	Solve = Register(&Operator{
		Name: "solve", Doc: "x of the linear equations a·x = b, by LU with partial pivoting; a (...,n,n), b (...,n,columns) or (n,), axes before broadcast",
		Inputs: []string{"a", "b"}, Accepts: floats, Convert: toCommonFloat, Saves: SaveInput(0) | SaveOutputs,
		Infer: inferEquations, Work: func(c *Call) int64 { return cubes(c, 2.0/3) + equationWork(c) }, Brief: briefFactoring(beforeFactoring),
		Lower: func(c *Call, l *Lowered) {
			lowerEquations(c, l)
			l.Scratch = cpu.EquationsScratch(layoutOf(l.Outputs[0]), layoutOf(l.Inputs[0]))
		},
		Gradient: func(r *Rule) {
			b, x := r.solved(func(u Value) Value { return r.Apply("solve", nil, r.swapLast(r.Input(0)), u) })
			if r.Wants(0) {
				r.Set(0, r.Neg(r.product(b, r.swapLast(x))))
			}
		},
		Samples: equationSamples(nil),
	})

	SolveTriangular = Register(&Operator{
		Name: "solve_triangular", Doc: "x of the linear equations a·x = b with triangular a (...,n,n), b (...,n,columns) or (n,), axes before broadcast; the other triangle is not read",
		Inputs: []string{"a", "b"}, Params: SolveTriangularParams{}, Accepts: floats, Convert: toCommonFloat, Saves: SaveInput(0) | SaveOutputs,
		Infer: inferEquations, Work: equationWork, Brief: briefFactoring(beforeFactoring),
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(SolveTriangularParams)
			l.Integers = []int64{flag(p.Upper), flag(p.Transposed), flag(p.Unit)}
			lowerEquations(c, l)
			l.Scratch = cpu.LinesScratch(layoutOf(l.Outputs[0]), layoutOf(l.Inputs[0]))
		},
		Gradient: func(r *Rule) {
			p := r.Params().(SolveTriangularParams)
			turned := p
			turned.Transposed = !p.Transposed
			b, x := r.solved(func(u Value) Value { return r.Apply("solve_triangular", turned, r.Input(0), u) })
			if !r.Wants(0) {
				return
			}
			if p.Transposed {
				b, x = x, b
			}
			slope := r.Neg(r.product(b, r.swapLast(x)))
			if p.Upper {
				r.Set(0, r.Apply("triu", TriangleParams{int(flag(p.Unit))}, slope))
			} else {
				r.Set(0, r.Apply("tril", TriangleParams{-int(flag(p.Unit))}, slope))
			}
		},
		Samples: slices.Concat(
			equationSamples(SolveTriangularParams{}), equationSamples(SolveTriangularParams{Upper: true, Unit: true}),
			equationSamples(SolveTriangularParams{Upper: true, Transposed: true}), equationSamples(SolveTriangularParams{Transposed: true, Unit: true}),
		),
	})
)

func equationSamples(params any) []Sample {
	return []Sample{
		{Shapes: [][]int{{3, 3}, {3, 2}}, Params: params}, {Shapes: [][]int{{4, 4}, {4}}, Params: params}, {Shapes: [][]int{{2, 3, 3}, {3, 1}}, Params: params},
		{Shapes: [][]int{{3, 3}, {2, 3, 2}}, Params: params}, {Shapes: [][]int{{2, 1, 2, 2}, {3, 2, 4}}, Params: params}, {Shapes: [][]int{{2, 3, 3}, {3}}, Params: params},
		{Shapes: [][]int{{40, 40}, {40, 9}}, Params: params}, {Shapes: [][]int{{0, 0}, {0, 2}}, Params: params}, {Shapes: [][]int{{2, 2}, {2, 0}}, Params: params},
		{Shapes: [][]int{{0, 2, 2}, {2}}, Params: params},
	}
}

// equationBatch returns the axes in front of the matrices of the result, and the number of columns.
func (c *Call) equationBatch() (batch []int, columns int) {
	batch, size := c.squareSize()
	b := c.Inputs[1].Shape
	if len(b) == 1 {
		b = []int{b[0], 1}
	}
	if split := len(b) - 2; split >= 0 && b[split] == size {
		return c.broadcastPair(batch, b[:split]), b[split+1]
	}
	c.Fail(fault.ErrShape, fmt.Sprintf("a %s and b %s do not fit: want (...,n,n) and (...,n,columns) or (n,)", fault.FormatShape(c.Inputs[0].Shape), fault.FormatShape(c.Inputs[1].Shape)))
	return nil, 0
}

func inferEquations(c *Call) {
	batch, columns := c.equationBatch()
	shape := append(slices.Clone(batch), c.Inputs[0].Shape[len(c.Inputs[0].Shape)-1])
	if len(c.Inputs[1].Shape) > 1 {
		shape = append(shape, columns)
	}
	c.Output(c.Inputs[0].DType, shape)
}

// lowerEquations gives b and the result two axes for their matrices, and b the batch of the result. That of a stays: each of its matrices
// is looked at once.
func lowerEquations(c *Call, l *Lowered) {
	if len(c.Inputs[1].Shape) == 1 {
		l.Inputs[1] = l.Inputs[1].WithAxis(1)
		l.Outputs[0] = l.Outputs[0].WithAxis(len(l.Outputs[0].Shape))
	}
	l.Inputs[1] = l.Inputs[1].Broadcast(l.Outputs[0].Shape)
}

func equationWork(c *Call) int64 {
	return c.Outputs[0].elements() * int64(c.Inputs[0].Shape[len(c.Inputs[0].Shape)-1])
}

// solved gives the gradient of b, which solves the transposed equations for that of the result, and returns it and the result, both as
// matrices.
func (r *Rule) solved(transposed func(u Value) Value) (b, x Value) {
	u, x := r.Upstream(), r.Output()
	if len(r.Shape(1)) == 1 {
		u, x = r.asColumn(u), r.asColumn(x)
	}
	b = transposed(u)
	if r.Wants(1) {
		given := b
		if len(r.Shape(1)) == 1 {
			given = r.Reshape(b, r.Upstream().Shape())
		}
		r.Set(1, given)
	}
	return b, x
}
