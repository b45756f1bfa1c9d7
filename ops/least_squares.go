package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// PseudoInverseParams are the parameters of pseudo_inverse and least_squares.
type PseudoInverseParams struct {
	RCond float64 `doc:"singular values up to so much of the largest count as zero; 0 is as many units of rounding as there are rows or columns" default:"0" min:"0"`
}

// Solutions of equations that have none or many. Their gradients (Golub and Pereyra, "The differentiation of
// pseudo-inverses and nonlinear least squares problems whose variables separate", 1973) are those of matrices of the
// same rank.
var (
	PseudoInverse = Register(&Operator{
		Name: "pseudo_inverse", Doc: "Moore-Penrose inverse of matrices, by singular values", Inputs: []string{"a"}, Params: PseudoInverseParams{},
		Accepts: floats, Convert: toFloat, Saves: SaveInputs | SaveOutputs, Work: func(c *Call) int64 { return cubes(c, 22) }, Brief: briefFactoring(beforeLAPACK),
		Infer: func(c *Call) {
			batch, rows, columns := c.matrixSizes(0)
			c.Output(c.Inputs[0].DType, slices.Concat(batch, []int{columns, rows}))
		},
		Lower: lowerPseudoInverse,
		Gradient: func(r *Rule) {
			r.Set(0, r.slopeOfPseudoInverse(r.Output(), r.Upstream()))
		},
		Samples: rectangularSamples(PseudoInverseParams{}),
	})

	LeastSquares = Register(&Operator{
		Name: "least_squares", Doc: "the shortest x for which a·x is nearest to b, the int64 numbers of singular values of a that are not zero, and the singular values, the largest first; a (...,m,n), b (...,m,columns) or (m,), axes before broadcast",
		Inputs: []string{"a", "b"}, Params: PseudoInverseParams{}, Accepts: floats, Convert: toCommonFloat, Saves: SaveInputs,
		Work: func(c *Call) int64 { return cubes(c, 20) }, Brief: briefFactoring(beforeLAPACK),
		Infer: func(c *Call) {
			batch, rows, columns := c.matrixSizes(0)
			b := c.Inputs[1].Shape
			vector := len(b) == 1
			if vector {
				b = []int{b[0], 1}
			}
			split := len(b) - 2
			if split < 0 || b[split] != rows {
				c.Fail(fault.ErrShape, fmt.Sprintf("a %s and b %s do not fit: want (...,m,n) and (...,m,columns) or (m,)", fault.FormatShape(c.Inputs[0].Shape), fault.FormatShape(c.Inputs[1].Shape)))
			}
			joint := c.broadcastPair(batch, b[:split])
			shape := append(slices.Clone(joint), columns)
			if !vector {
				shape = append(shape, b[split+1])
			}
			c.Output(c.Inputs[0].DType, shape)
			c.Output(dtype.Int64, joint)
			c.Output(c.Inputs[0].DType.RealPart(), append(slices.Clone(joint), min(rows, columns)))
		},
		Lower: func(c *Call, l *Lowered) {
			batch := c.Outputs[1].Shape
			if len(c.Inputs[1].Shape) == 1 {
				l.Inputs[1] = l.Inputs[1].WithAxis(1)
				l.Outputs[0] = l.Outputs[0].WithAxis(len(l.Outputs[0].Shape))
			}
			b := l.Inputs[1]
			l.Inputs[1] = b.Broadcast(slices.Concat(batch, b.Shape[len(b.Shape)-2:])) // The batch of a stays: each of its matrices is decomposed once.
			lowerPseudoInverse(c, l)
		},
		Gradient: leastSquaresGradient,
		Samples: []Sample{
			{Shapes: [][]int{{3, 3}, {3, 2}}, Params: PseudoInverseParams{}}, {Shapes: [][]int{{5, 2}, {5}}, Params: PseudoInverseParams{}},
			{Shapes: [][]int{{2, 4}, {2, 3}}, Params: PseudoInverseParams{}}, {Shapes: [][]int{{2, 3, 2}, {3, 1}}, Params: PseudoInverseParams{}},
			{Shapes: [][]int{{3, 2}, {2, 3, 2}}, Params: PseudoInverseParams{}}, {Shapes: [][]int{{2, 3, 2}, {3}}, Params: PseudoInverseParams{}},
			{Shapes: [][]int{{20, 12}, {20, 3}}, Params: PseudoInverseParams{1e-5}}, {Shapes: [][]int{{0, 2}, {0, 3}}, Params: PseudoInverseParams{}},
			{Shapes: [][]int{{3, 0}, {3, 2}}, Params: PseudoInverseParams{}}, {Shapes: [][]int{{3, 2}, {3, 0}}, Params: PseudoInverseParams{}},
			{Shapes: [][]int{{0, 3, 2}, {3}}, Params: PseudoInverseParams{}},
		},
	})
)

func lowerPseudoInverse(c *Call, l *Lowered) {
	l.Scalars = []float64{c.Params.(PseudoInverseParams).RCond}
	lowerMatrices(c, l)
}

// slopeOfPseudoInverse returns the gradient of operand 0, where u is that of its pseudo-inverse p.
func (r *Rule) slopeOfPseudoInverse(p, u Value) Value {
	a, turned, slope := r.Input(0), r.adjoint(p), r.adjoint(u)
	x := r.product(r.product(slope, p), turned)
	y := r.product(turned, r.product(p, slope))
	sum := r.Sub(r.Add(x, y), r.product(turned, r.product(u, turned)))
	return r.Sub(sum, r.Add(r.product(a, r.product(p, x)), r.product(r.product(y, p), a)))
}

func leastSquaresGradient(r *Rule) {
	u, b := r.UpstreamOf(0), r.Input(1)
	var slope Value
	if u != nil {
		p := r.Apply("pseudo_inverse", r.Params(), r.Input(0))
		if len(b.Shape()) == 1 {
			u, b = r.asColumn(u), r.asColumn(b)
		}
		if r.Wants(1) {
			given := r.SumTo(r.product(r.adjoint(p), u), b.Shape())
			r.Set(1, r.Reshape(given, r.Shape(1)))
		}
		if r.Wants(0) {
			slope = r.slopeOfPseudoInverse(p, r.SumTo(r.product(u, r.adjoint(b)), p.Shape()))
		}
	}
	if s := r.UpstreamOf(2); s != nil && r.Wants(0) {
		own := r.Shape(0)
		s = r.SumTo(s, append(slices.Clone(own[:len(own)-2]), s.Shape()[len(s.Shape())-1]))
		of := r.slopeOfSingularValues(s)
		if slope != nil {
			of = r.Add(slope, of)
		}
		slope = of
	}
	if slope != nil {
		r.Set(0, slope)
	}
}
