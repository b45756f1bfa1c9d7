package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// SoftmaxParams are the parameters of softmax and log_softmax.
type SoftmaxParams struct {
	Axis int `doc:"axis along which the results sum to one" default:"-1"`
}

// Softmax and the loss made of it, whose exponentials cannot overflow. Sums are made in the element type of eight
// elements at a time, which must not overflow in gradients, and in float64 of what these give; those whose logarithm or
// difference from one is a result wholly in float64, where one element outweighs all others.
var (
	Softmax = softmax("softmax", "exp(x) divided by its sum along an axis", func(r *Rule) {
		r.Set(0, r.Apply("softmax_gradient", r.Params(), r.Output(), r.Upstream()))
	})

	LogSoftmax = softmax("log_softmax", "x minus the logarithm of the sum of exp(x) along an axis", func(r *Rule) {
		r.Set(0, r.Apply("log_softmax_gradient", r.Params(), r.Output(), r.Upstream()))
	})

	SoftmaxGradient = softmaxGradient("softmax_gradient", "y (upstream − sum of y upstream along an axis), the gradient of softmax with the result y", func(r *Rule) {
		y, u, v := r.Input(0), r.Input(1), r.Upstream()
		r.Set(0, r.Sub(r.Mul(v, r.Sub(u, r.along(r.Mul(y, u)))), r.Mul(u, r.along(r.Mul(v, y)))))
		r.Set(1, r.Apply("softmax_gradient", r.Params(), y, v))
	})

	LogSoftmaxGradient = softmaxGradient("log_softmax_gradient", "upstream − exp(y) · sum of upstream along an axis, the gradient of log_softmax with the result y", func(r *Rule) {
		v, p := r.Upstream(), r.Apply("exp", nil, r.Input(0))
		product := r.Mul(v, p)
		r.Set(0, r.Neg(r.Mul(product, r.along(r.Input(1)))))
		r.Set(1, r.Sub(v, r.along(product)))
	})

	// A label out of range is an error of the result, found while the operator runs.
	SoftmaxCrossEntropy = Register(&Operator{
		Name: "softmax_cross_entropy", Doc: "for each row, minus the logarithm of the softmax at its label",
		Inputs: []string{"logits", "labels"}, Accepts: floating, Saves: SaveInputs,
		Convert: func(c *Call) []dtype.DType {
			wanted := indicesAt(1)(c)
			wanted[0] = floatOf(c.Inputs[0].DType)
			return wanted
		},
		Infer: func(c *Call) {
			checkLogits(c)
			c.Output(c.Inputs[0].DType, slices.Clone(c.Inputs[1].Shape))
		},
		Gradient: func(r *Rule) {
			r.Set(0, r.Apply("softmax_cross_entropy_gradient", nil, r.Input(0), r.Input(1), r.Upstream()))
		},
		Samples: []Sample{{Shapes: [][]int{{3, 4}, {3}}}, {Shapes: [][]int{{0, 4}, {0}}}, {Shapes: [][]int{{100, 10}, {100}}}},
	})

	SoftmaxCrossEntropyGradient = Register(&Operator{
		Name: "softmax_cross_entropy_gradient", Doc: "for each row, the softmax less one at its label, times upstream: the gradient of softmax_cross_entropy",
		Inputs: []string{"logits", "labels", "upstream"}, Accepts: floating, Saves: SaveInputs,
		Convert: func(c *Call) []dtype.DType {
			wanted := indicesAt(1)(c)
			wanted[0] = floatOf(c.Inputs[0].DType)
			wanted[2] = wanted[0]
			return wanted
		},
		Infer: func(c *Call) {
			checkLogits(c)
			if upstream := c.Inputs[2].Shape; !slices.Equal(upstream, c.Inputs[1].Shape) {
				c.Fail(fault.ErrShape, fmt.Sprintf("the upstream gradient has shape %s, the labels %s", fault.FormatShape(upstream), fault.FormatShape(c.Inputs[1].Shape)))
			}
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Gradient: func(r *Rule) {
			rows, classes, v := r.Shape(0)[0], r.Shape(0)[1], r.Upstream()
			probability := r.Apply("softmax", SoftmaxParams{Axis: 1}, r.Input(0))
			truth := r.Apply("one_hot", OneHotParams{Depth: classes, DType: r.DType(0)}, r.Input(1))
			r.Set(0, r.Apply("softmax_gradient", SoftmaxParams{Axis: 1}, probability, r.Mul(v, r.Reshape(r.Input(2), []int{rows, 1}))))
			r.Set(2, r.Apply("sum", ReduceParams{Axes: []int{1}}, r.Mul(v, r.Sub(probability, truth))))
		},
		Samples: []Sample{{Shapes: [][]int{{3, 4}, {3}, {3}}}, {Shapes: [][]int{{0, 4}, {0}, {0}}}, {Shapes: [][]int{{100, 10}, {100}, {100}}}},
	})
)

// checkLogits fails unless the first operands are logits and labels.
func checkLogits(c *Call) {
	logits, labels := c.Inputs[0].Shape, c.Inputs[1].Shape
	if len(logits) != 2 || len(labels) != 1 || logits[0] != labels[0] {
		c.Fail(fault.ErrShape, fmt.Sprintf("logits %s and labels %s do not fit: want (rows,classes) and (rows,)",
			fault.FormatShape(logits), fault.FormatShape(labels)))
	}
}

// along returns the sum of a along the axis of a softmax.
func (r *Rule) along(a Value) Value {
	return r.Apply("sum", ReduceParams{Axes: []int{r.Params().(SoftmaxParams).Axis}, KeepDims: true}, a)
}

// softmax registers an operator that normalises along an axis.
func softmax(name, doc string, gradient func(r *Rule)) *Operator {
	return Register(&Operator{
		Name: name, Doc: doc, Inputs: []string{"x"}, Params: SoftmaxParams{}, Accepts: floating, Convert: toFloat, Saves: SaveOutputs,
		Infer: func(c *Call) {
			c.Axis(c.Params.(SoftmaxParams).Axis, len(c.Inputs[0].Shape))
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: lowerSoftmax, Gradient: gradient, Brief: areBriefRows,
		Samples: []Sample{
			{Shapes: [][]int{{3, 4}}, Params: SoftmaxParams{-1}}, {Shapes: [][]int{{3, 4, 2}}, Params: SoftmaxParams{1}},
			{Shapes: [][]int{{0, 4}}, Params: SoftmaxParams{-1}}, {Shapes: [][]int{{5}}, Params: SoftmaxParams{0}}, {Shapes: [][]int{{3, 0}}, Params: SoftmaxParams{1}},
		},
	})
}

// softmaxGradient registers the gradient of such an operator, of its result and the upstream gradient.
func softmaxGradient(name, doc string, gradient func(r *Rule)) *Operator {
	op := &Operator{
		Name: name, Doc: doc, Inputs: []string{"y", "upstream"}, Params: SoftmaxParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInputs,
		Infer: func(c *Call) {
			c.Axis(c.Params.(SoftmaxParams).Axis, len(c.Inputs[0].Shape))
			if !slices.Equal(c.Inputs[0].Shape, c.Inputs[1].Shape) {
				c.Fail(fault.ErrShape, fmt.Sprintf("the result has shape %s, its gradient %s", fault.FormatShape(c.Inputs[0].Shape), fault.FormatShape(c.Inputs[1].Shape)))
			}
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: lowerSoftmax, Gradient: gradient, Brief: areBriefRows,
	}
	for _, s := range Softmax.Samples {
		op.Samples = append(op.Samples, Sample{Shapes: [][]int{s.Shapes[0], s.Shapes[0]}, Params: s.Params})
	}
	return Register(op)
}

// lowerSoftmax moves the axis behind all others.
func lowerSoftmax(c *Call, l *Lowered) {
	axis := c.Axis(c.Params.(SoftmaxParams).Axis, len(c.Inputs[0].Shape))
	for i, v := range l.Inputs {
		l.Inputs[i] = lastAxis(v, axis)
	}
	l.Outputs[0] = lastAxis(l.Outputs[0], axis)
}

// lastAxis returns v with the given axis moved behind all others.
func lastAxis(v storage.View, axis int) storage.View {
	if axis == len(v.Shape)-1 {
		return v
	}
	axes := []int{}
	for a := range v.Shape {
		if a != axis {
			axes = append(axes, a)
		}
	}
	return v.Permute(append(axes, axis))
}

// briefRows is the most elements of rows that are normalised within some microseconds.
const briefRows = 2048

func areBriefRows(c *Call) bool { return c.Outputs[0].elements() <= briefRows }
