package ops

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/fault"
)

// NormParams are the parameters of norm.
type NormParams struct {
	Axes     []int   `doc:"axes to reduce, negative ones counted from the end; none means all"`
	KeepDims bool    `doc:"whether reduced axes stay, with one element"`
	Order    float64 `doc:"p of the p-norm (Σ|x|^p)^(1/p); an infinity gives the largest or smallest magnitude, 0 the number of elements that are not zero, NaN among them" default:"2"`
}

// Norm is the vector norm of the array API standard, linalg.vector_norm. It is computed in float64, so that squares of float32
// do not overflow; those of float64 may. The gradient is zero where the norm is, and shared equally by all elements whose
// magnitude is the one that an infinite order chooses.
var Norm = Register(&Operator{
	Name: "norm", Doc: "p-norm over axes of the elements as a vector; NaN if any is, unless the order is 0; that of integers is float64, that of complex numbers real",
	Inputs: []string{"x"}, Params: NormParams{}, Accepts: reducible, Saves: SaveInputs | SaveOutputs, Work: perOperandElement,
	Infer: func(c *Call) {
		p := c.Params.(NormParams)
		if p.Order != p.Order {
			c.Fail(fault.ErrParameter, "order is NaN (legal: any number or infinity)")
		}
		if p.Order < 0 && countAlong(c.Inputs[0].Shape, c.Axes(p.Axes, len(c.Inputs[0].Shape))) == 0 && len(c.Inputs[0].Shape) > 0 {
			c.Fail(fault.ErrShape, fmt.Sprintf("no elements of which there is a norm of order %v", p.Order))
		}
		inferReduction(c, floatOf(c.Inputs[0].DType).RealPart(), ReduceParams{p.Axes, p.KeepDims}, false)
	},
	Lower: func(c *Call, l *Lowered) {
		p := c.Params.(NormParams)
		c.lowerReduction(l, ReduceParams{p.Axes, p.KeepDims}, 8)
		l.Scalars = []float64{p.Order}
	},
	Gradient: func(r *Rule) {
		x, order := r.Input(0), r.Params().(NormParams).Order
		up, y := r.spread(r.Upstream()), r.spread(r.Output())
		switch {
		case order == 0:
			r.Set(0, r.Scale(up, 0))
		case order == 1:
			r.Set(0, r.Mul(up, r.directionOf(x)))
		case order == 2:
			r.Set(0, r.Mul(up, r.Div(x, r.nonzero(y))))
		case math.IsInf(order, 0):
			sizes := r.Apply("abs", nil, x)
			if x.DType().IsComplex() { // The norm compares them before they are rounded.
				extreme := Max
				if order < 0 {
					extreme = Min
				}
				y = r.spread(r.Apply(extreme.Name, ReduceParams{Axes: r.axes()}, sizes))
			}
			chosen := r.as(r.Apply("equal", nil, sizes, y))
			r.Set(0, r.Mul(r.Mul(chosen, r.directionOf(x)), r.Div(up, r.Apply("sum", r.kept(), chosen))))
		default:
			ratio := r.Div(r.nonzero(r.Apply("abs", nil, x)), r.nonzero(y))
			r.Set(0, r.Mul(r.Mul(up, r.Apply("pow", nil, ratio, r.Constant(order-1, ratio))), r.directionOf(x)))
		}
	},
	Samples: []Sample{
		{Shapes: [][]int{{2, 3}}, Params: NormParams{Order: 2}}, {Shapes: [][]int{{2, 3, 4}}, Params: NormParams{Axes: []int{1}, Order: 1}},
		{Shapes: [][]int{{2, 3, 4}}, Params: NormParams{Axes: []int{-1, 0}, KeepDims: true, Order: math.Inf(1)}},
		{Shapes: [][]int{{2, 3, 4}}, Params: NormParams{Axes: []int{0}, Order: math.Inf(-1)}}, {Shapes: [][]int{{2, 30}}, Params: NormParams{Axes: []int{1}, Order: 3}},
		{Shapes: [][]int{{4, 3}}, Params: NormParams{Axes: []int{0}, Order: 0.5}}, {Shapes: [][]int{{2, 3}}, Params: NormParams{Axes: []int{0}}},
		{Shapes: [][]int{{0, 3}}, Params: NormParams{Axes: []int{0}, Order: 2}}, {Shapes: [][]int{{40, 50}}, Params: NormParams{Axes: []int{0}, Order: 2}},
	},
})
