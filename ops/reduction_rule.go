package ops

import (
	"slices"

	"github.com/weft-nd/weft/storage"
)

// reduceParams returns which axes the call reduces.
func (r *Rule) reduceParams() ReduceParams {
	switch p := r.Params().(type) {
	case SpreadParams:
		return ReduceParams{p.Axes, p.KeepDims}
	case NormParams:
		return ReduceParams{p.Axes, p.KeepDims}
	default:
		return p.(ReduceParams)
	}
}

func (r *Rule) axes() []int { return r.reduceParams().Axes }

// kept are the parameters of a reduction over the axes of the call, which stay with one element.
func (r *Rule) kept() ReduceParams { return ReduceParams{Axes: r.axes(), KeepDims: true} }

// spread returns a, shaped like the result of a reduction, repeated to the shape of the operand.
func (r *Rule) spread(a Value) Value {
	return r.BroadcastTo(r.Expand(a, r.Shape(0), r.axes()), r.Shape(0))
}

// shareAmongEqual shares the gradient equally among the elements that are the result.
func (r *Rule) shareAmongEqual() {
	chosen := r.as(r.Apply("equal", nil, r.Input(0), r.spread(r.Output())))
	r.Set(0, r.Mul(chosen, r.Div(r.spread(r.Upstream()), r.Apply("sum", r.kept(), chosen))))
}

// signOf returns 1, −1 or 0 as x is positive, negative or neither.
func (r *Rule) signOf(x Value) Value {
	zero := r.Constant(0, x)
	return r.Sub(r.as(r.Apply("greater", nil, x, zero)), r.as(r.Apply("greater", nil, zero, x)))
}

// directionOf returns signOf(x), and x / |x| of complex numbers, 0 at 0.
func (r *Rule) directionOf(x Value) Value {
	if x.DType().IsComplex() {
		return r.Apply("sign", nil, x)
	}
	return r.signOf(x)
}

// inFront returns the operand with the reduced axes as one, the first, and the way back for arrays of that shape.
func (r *Rule) inFront() (x Value, back func(Value) Value) {
	shape := r.Shape(0)
	order := reducedAxes(r.axes(), len(shape))
	count := countAlong(shape, r.axes())
	for axis := range shape {
		if !slices.Contains(order, axis) {
			order = append(order, axis)
		}
	}
	moved, inverse := make([]int, len(order)), make([]int, len(order))
	for i, axis := range order {
		moved[i], inverse[axis] = shape[axis], i
	}
	rest := 1
	if count > 0 {
		rest = storage.Count(shape) / count
	}
	x = r.Reshape(r.permute(r.Input(0), order), []int{count, rest})
	return x, func(y Value) Value { return r.permute(r.Reshape(y, moved), inverse) }
}

func (r *Rule) permute(x Value, axes []int) Value {
	if len(axes) < 2 {
		return x
	}
	return r.Apply("transpose", TransposeParams{axes}, x)
}
