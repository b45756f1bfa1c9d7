package ops

import (
	"math"
	"slices"

	"github.com/weft-nd/weft/kernels/cpu"
)

// SpreadParams are the parameters of var and std.
type SpreadParams struct {
	Axes       []int   `doc:"axes to reduce, negative ones counted from the end; none means all"`
	KeepDims   bool    `doc:"whether reduced axes stay, with one element"`
	Correction float64 `doc:"what the number of elements is lessened by; 1 gives the unbiased estimate"`
}

// Statistics over axes. Those of integers are float64.
var (
	// Leaves of 256 elements are gone over twice, and joined pairwise (Chan, Golub and LeVeque, 1979).
	Var = spreading("var", "variance over axes: the squared distances from the mean, divided by their number less the correction; NaN if that is not above 0", SaveInputs,
		func(r *Rule) {
			r.Set(0, r.Scale(r.Mul(r.spread(r.Upstream()), r.centred()), 2/r.freedom()))
		})

	// The gradient where all elements are equal is zero.
	Std = spreading("std", "standard deviation over axes: the square root of var", SaveInputs|SaveOutputs, func(r *Rule) {
		slope := r.Div(r.centred(), r.spread(r.nonzero(r.Output())))
		r.Set(0, r.Scale(r.Mul(r.spread(r.Upstream()), slope), 1/r.freedom()))
	})

	LogSumExp = Register(&Operator{
		Name: "logsumexp", Doc: "logarithm of the sum of exp(x) over axes, computed without overflow; −∞ if there are no elements; that of integers is float64",
		Form: FormReduction, Inputs: []string{"x"}, Params: ReduceParams{}, Accepts: reducible, Saves: SaveInputs | SaveOutputs, Work: perOperandElement,
		Infer: func(c *Call) { inferReduction(c, floatOf(c.Inputs[0].DType), c.Params.(ReduceParams), false) },
		Lower: func(c *Call, l *Lowered) {
			c.lowerReduction(l, c.Params.(ReduceParams), cpu.ExponentialPartial)
		},
		Gradient: func(r *Rule) {
			y := r.Output() // −Inf only where all elements are, whose gradient is zero
			y = r.spread(r.Apply("where", nil, r.Apply("equal", nil, y, r.Constant(math.Inf(-1), y)), r.Constant(0, y), y))
			r.Set(0, r.Mul(r.spread(r.Upstream()), r.Apply("exp", nil, r.Sub(r.Input(0), y))))
		},
		Samples: append(slices.Clone(nonEmptyReductionSamples), Sample{Shapes: [][]int{{0, 3}}, Params: ReduceParams{Axes: []int{0}}}),
	})
)

// spreading registers an operator that is made of the distances from the mean.
func spreading(name, doc string, saves Saved, gradient func(r *Rule)) *Operator {
	return Register(&Operator{
		Name: name, Doc: doc, Inputs: []string{"x"}, Params: SpreadParams{}, Accepts: reducible, Saves: saves,
		Infer: func(c *Call) {
			p := c.Params.(SpreadParams)
			inferReduction(c, floatOf(c.Inputs[0].DType), ReduceParams{p.Axes, p.KeepDims}, false)
		},
		Lower: func(c *Call, l *Lowered) {
			p := c.Params.(SpreadParams)
			c.lowerReduction(l, ReduceParams{p.Axes, p.KeepDims}, cpu.MomentPartial)
			l.Scalars = []float64{p.Correction}
		},
		Work: perOperandElement, Gradient: gradient,
		Samples: []Sample{
			{Shapes: [][]int{{2, 3}}, Params: SpreadParams{}}, {Shapes: [][]int{{2, 3, 4}}, Params: SpreadParams{Axes: []int{1}, Correction: 1}},
			{Shapes: [][]int{{2, 3, 4}}, Params: SpreadParams{Axes: []int{-1, 0}, KeepDims: true, Correction: 0.5}}, {Shapes: [][]int{{3, 0}}, Params: SpreadParams{Axes: []int{0}}},
			{Shapes: [][]int{{0, 3}}, Params: SpreadParams{Axes: []int{0}}}, {Shapes: [][]int{{40, 50}}, Params: SpreadParams{Axes: []int{0}, Correction: 1}},
		},
	})
}

// centred returns the distances from the mean.
func (r *Rule) centred() Value {
	return r.Sub(r.Input(0), r.Apply("mean", r.kept(), r.Input(0)))
}

// freedom returns what the sum of squares is divided by, if there are any.
func (r *Rule) freedom() float64 {
	p := r.Params().(SpreadParams)
	count := countAlong(r.Shape(0), p.Axes)
	if count == 0 {
		return 1
	}
	if freedom := float64(count) - p.Correction; freedom > 0 {
		return freedom
	}
	return math.NaN()
}

// nonzero returns x with ones in place of zeros.
func (r *Rule) nonzero(x Value) Value {
	return r.Apply("where", nil, r.Apply("equal", nil, x, r.Constant(0, x)), r.Constant(1, x), x)
}
