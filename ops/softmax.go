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

// Softmax and the loss made of it, computed without overflow.
var (
	Softmax = softmax("softmax", "exp(x) divided by its sum along an axis", func(r *Rule, axis int) {
		y := r.Output()
		product := r.Mul(r.Upstream(), y)
		total := r.Apply("sum", ReduceParams{Axes: []int{axis}, KeepDims: true}, product)
		r.Set(0, r.Sub(product, r.Mul(y, total)))
	})

	LogSoftmax = softmax("log_softmax", "x minus the logarithm of the sum of exp(x) along an axis", func(r *Rule, axis int) {
		total := r.Apply("sum", ReduceParams{Axes: []int{axis}, KeepDims: true}, r.Upstream())
		r.Set(0, r.Sub(r.Upstream(), r.Mul(r.Apply("exp", nil, r.Output()), total)))
	})

	// A label out of range is an error of the result, found while the operator runs.
	SoftmaxCrossEntropy = Register(&Operator{
		Name: "softmax_cross_entropy", Doc: "for each row, minus the logarithm of the softmax at its label",
		Inputs: []string{"logits", "labels"}, Accepts: floats, Saves: SaveInputs,
		Convert: func(c *Call) []dtype.DType {
			wanted := indicesAt(1)(c)
			wanted[0] = floatOf(c.Inputs[0].DType)
			return wanted
		},
		Infer: func(c *Call) {
			logits, labels := c.Inputs[0].Shape, c.Inputs[1].Shape
			if len(logits) != 2 || len(labels) != 1 || logits[0] != labels[0] {
				c.Fail(fault.ErrShape, fmt.Sprintf("logits %s and labels %s do not fit: want (rows,classes) and (rows,)",
					fault.FormatShape(logits), fault.FormatShape(labels)))
			}
			c.Output(c.Inputs[0].DType, slices.Clone(labels))
		},
		Gradient: func(r *Rule) {
			rows, classes := r.Shape(0)[0], r.Shape(0)[1]
			probability := r.Apply("softmax", SoftmaxParams{Axis: 1}, r.Input(0))
			truth := r.Apply("one_hot", OneHotParams{Depth: classes, DType: r.DType(0)}, r.Input(1))
			r.Set(0, r.Mul(r.Sub(probability, truth), r.Reshape(r.Upstream(), []int{rows, 1})))
		},
		Samples: []Sample{{Shapes: [][]int{{3, 4}, {3}}}, {Shapes: [][]int{{0, 4}, {0}}}, {Shapes: [][]int{{100, 10}, {100}}}},
	})
)

// softmax registers an operator that normalises along an axis.
func softmax(name, doc string, gradient func(r *Rule, axis int)) *Operator {
	return Register(&Operator{
		Name: name, Doc: doc, Inputs: []string{"x"}, Params: SoftmaxParams{}, Accepts: floats, Convert: toFloat, Saves: SaveOutputs,
		Infer: func(c *Call) {
			c.Axis(c.Params.(SoftmaxParams).Axis, len(c.Inputs[0].Shape))
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: func(c *Call, l *Lowered) {
			axis := c.Axis(c.Params.(SoftmaxParams).Axis, len(c.Inputs[0].Shape))
			l.Inputs[0], l.Outputs[0] = lastAxis(l.Inputs[0], axis), lastAxis(l.Outputs[0], axis)
		},
		Gradient: func(r *Rule) { gradient(r, r.Params().(SoftmaxParams).Axis) },
		Samples: []Sample{
			{Shapes: [][]int{{3, 4}}, Params: SoftmaxParams{-1}}, {Shapes: [][]int{{3, 4, 2}}, Params: SoftmaxParams{1}},
			{Shapes: [][]int{{0, 4}}, Params: SoftmaxParams{-1}}, {Shapes: [][]int{{5}}, Params: SoftmaxParams{0}}, {Shapes: [][]int{{3, 0}}, Params: SoftmaxParams{1}},
		},
	})
}

// lastAxis returns v with the given axis moved behind all others.
func lastAxis(v storage.View, axis int) storage.View {
	axes := []int{}
	for a := range v.Shape {
		if a != axis {
			axes = append(axes, a)
		}
	}
	return v.Permute(append(axes, axis))
}
