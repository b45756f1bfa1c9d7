package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// ReduceParams are the parameters of reductions.
type ReduceParams struct {
	Axes     []int `doc:"axes to reduce, negative ones counted from the end; none means all"`
	KeepDims bool  `doc:"whether reduced axes stay, with one element"`
}

// Reductions over axes.
var (
	Sum = reduction("sum", "sum over axes, pairwise; bool counts", numbers, 0, toSummable, func(r *Rule) {
		r.Set(0, r.spread(r.Upstream()))
	})

	Mean = reduction("mean", "arithmetic mean over axes; integers become floats", floats, 0, toFloat, func(r *Rule) {
		n := countAlong(r.Shape(0), r.Params().(ReduceParams).Axes)
		r.Set(0, r.spread(r.Scale(r.Upstream(), 1/float64(max(n, 1)))))
	})

	// The gradient is shared equally by all elements that are the largest.
	Max = reduction("max", "largest element over axes; NaN if any is", ordered, SaveInputs|SaveOutputs, nil, func(r *Rule) {
		axes := r.Params().(ReduceParams).Axes
		largest := r.as(r.Apply("equal", nil, r.Input(0), r.spread(r.Output())))
		ties := r.Apply("sum", ReduceParams{Axes: axes, KeepDims: true}, largest)
		r.Set(0, r.Mul(largest, r.Div(r.spread(r.Upstream()), ties)))
	})

	ArgMax = Register(&Operator{
		Name: "argmax", Doc: "int64 index of the first largest element over axes, row-major among them; of the first NaN if there is one",
		Form: FormReduction, Inputs: []string{"x"}, Params: ReduceParams{}, Accepts: ordered, Lower: lowerReduction,
		Infer: func(c *Call) { inferReduction(c, dtype.Int64, true) }, Samples: nonEmptyReductionSamples,
	})
)

// reduction registers an operator that turns the elements along some axes into one.
func reduction(name, doc string, accepts []dtype.DType, saves Saved, convert func(c *Call) []dtype.DType, gradient func(r *Rule)) *Operator {
	op := &Operator{
		Name: name, Doc: doc, Form: FormReduction, Inputs: []string{"x"}, Params: ReduceParams{}, Accepts: accepts,
		Convert: convert, Saves: saves, Lower: lowerReduction, Gradient: gradient,
	}
	needsElements := name == "max"
	op.Infer = func(c *Call) { inferReduction(c, c.Inputs[0].DType, needsElements) }
	op.Samples = nonEmptyReductionSamples
	if !needsElements {
		op.Samples = append(slices.Clone(nonEmptyReductionSamples), Sample{Shapes: [][]int{{0, 3}}, Params: ReduceParams{Axes: []int{0}}})
	}
	return Register(op)
}

var nonEmptyReductionSamples = []Sample{
	{Shapes: [][]int{{2, 3}}, Params: ReduceParams{}},
	{Shapes: [][]int{{2, 3, 4}}, Params: ReduceParams{Axes: []int{1}}},
	{Shapes: [][]int{{2, 3, 4}}, Params: ReduceParams{Axes: []int{-1, 0}, KeepDims: true}},
	{Shapes: [][]int{{}}, Params: ReduceParams{}},
	{Shapes: [][]int{{3, 0}}, Params: ReduceParams{Axes: []int{0}}},
	{Shapes: [][]int{{40, 50}}, Params: ReduceParams{Axes: []int{0}}},
}

func inferReduction(c *Call, d dtype.DType, needsElements bool) {
	p := c.Params.(ReduceParams)
	in := c.Inputs[0].Shape
	axes := c.Axes(p.Axes, len(in))
	shape := []int{}
	for axis, n := range in {
		reduced := slices.Contains(axes, axis)
		if reduced && n == 0 && needsElements {
			c.Fail(fault.ErrShape, fmt.Sprintf("axis %d has no elements to choose from", axis))
		}
		switch {
		case !reduced:
			shape = append(shape, n)
		case p.KeepDims:
			shape = append(shape, 1)
		}
	}
	c.Output(d, shape)
}

// lowerReduction moves the reduced axes behind the kept ones. The kernel is told how many there are.
func lowerReduction(c *Call, l *Lowered) {
	p := c.Params.(ReduceParams)
	axes := c.Axes(p.Axes, len(c.Inputs[0].Shape))
	kept := []int{}
	for axis := range c.Inputs[0].Shape {
		if !slices.Contains(axes, axis) {
			kept = append(kept, axis)
		}
	}
	l.Inputs[0] = l.Inputs[0].Permute(append(slices.Clone(kept), axes...))
	if p.KeepDims {
		l.Outputs[0] = l.Outputs[0].Permute(kept)
	}
	l.Integers = []int64{int64(len(axes))}
}

// spread returns a, shaped like the result of a reduction, repeated to the shape of the operand.
func (r *Rule) spread(a Value) Value {
	axes := r.Params().(ReduceParams).Axes
	return r.BroadcastTo(r.Expand(a, r.Shape(0), axes), r.Shape(0))
}

// toSummable makes bool operands integers.
func toSummable(c *Call) []dtype.DType {
	if c.Inputs[0].DType == dtype.Bool {
		return []dtype.DType{dtype.Int64}
	}
	return []dtype.DType{dtype.Invalid}
}
