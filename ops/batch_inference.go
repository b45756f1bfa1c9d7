package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// RunningAverageParams are the parameters of running_average.
type RunningAverageParams struct {
	Momentum float64 `doc:"weight of what is new" default:"0.1" min:"0" max:"1"`
	Factor   float64 `doc:"what is new is multiplied by this" default:"1"`
}

// What batch normalisation does without a batch.
var (
	BatchNormInference = Register(&Operator{
		Name: "batch_norm_inference", Doc: "(x − mean) / √(variance + ε) · scale + bias, with the given means and variances of channels, axis 1",
		Inputs: []string{"x", "scale", "bias", "means", "variances"}, Params: BatchNormParams{}, Accepts: floating, Convert: toCommonFloat, Saves: SaveInputs &^ SaveInput(2),
		Infer: func(c *Call) {
			channels := checkChannels(c)
			for i := 2; i < 5; i++ {
				c.checkShape(i, channels)
			}
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
		},
		Lower: func(c *Call, l *Lowered) { lowerChannelNorm(c, l, &l.Inputs[0], &l.Outputs[0]) },
		Work:  perOperandElement,
		Gradient: func(r *Rule) {
			shape, u := r.Shape(0), r.Upstream()
			kept := []int{shape[1]}
			for range shape[2:] {
				kept = append(kept, 1)
			}
			of := func(i int) Value { return r.Reshape(r.Input(i), kept) }
			set := func(i int, g Value) { r.Set(i, r.Reshape(r.SumTo(g, kept), r.Shape(i))) }
			epsilon := r.Constant(r.Params().(BatchNormParams).Epsilon, u)
			inverse := r.Apply("rsqrt", nil, r.Add(of(4), epsilon))
			centred, slope := r.Sub(r.Input(0), of(3)), r.Mul(u, r.Mul(of(1), inverse))
			r.Set(0, slope)
			set(1, r.Mul(u, r.Mul(centred, inverse)))
			set(2, u)
			set(3, r.Neg(slope))
			set(4, r.Scale(r.Mul(r.Mul(slope, centred), r.Apply("square", nil, inverse)), -0.5))
		},
		Samples: []Sample{
			{[][]int{{3, 4, 2}, {4}, {4}, {4}, {4}}, BatchNormParams{1e-5}}, {[][]int{{4, 3}, {3}, {3}, {3}, {3}}, BatchNormParams{0.1}},
			{[][]int{{2, 3, 9, 8}, {3}, {3}, {3}, {3}}, BatchNormParams{}}, {[][]int{{0, 2, 3}, {2}, {2}, {2}, {2}}, BatchNormParams{1e-5}},
		},
	})

	// When value is in error the average stays as it is, and the error is that of the result.
	RunningAverage = Register(&Operator{
		Name: "running_average", Doc: "(1 − momentum) · average + momentum · factor · value, in place of average; the result, a 0-d bool, is true when that is done",
		Inputs: []string{"average", "value"}, Params: RunningAverageParams{}, Accepts: floating, KeepOnSkip: true,
		Mutates: func(_ *Call, i int) bool { return i == 0 },
		Infer: func(c *Call) {
			c.checkShape(1, c.Inputs[0].Shape)
			if c.Inputs[0].DType != c.Inputs[1].DType {
				c.Fail(fault.ErrDType, fmt.Sprintf("the average is %v and the value %v", c.Inputs[0].DType, c.Inputs[1].DType))
			}
			c.Output(dtype.Bool, nil)
		},
		Lower: func(c *Call, l *Lowered) {
			if average, value := l.Outputs[0], l.Inputs[0]; average.Synced == value.Synced && !(average.Offset == value.Offset && slices.Equal(average.Strides, value.Strides)) {
				c.Fail(fault.ErrMisuse, "the average and the value share memory")
			}
			p := c.Params.(RunningAverageParams)
			l.Scalars = []float64{p.Momentum, p.Factor}
		},
		Work: perOperandElement,
		Samples: []Sample{
			{[][]int{{2, 3}, {2, 3}}, RunningAverageParams{0.1, 1.25}}, {[][]int{{}, {}}, RunningAverageParams{1, 1}}, {[][]int{{0, 3}, {0, 3}}, RunningAverageParams{0.5, 1}},
			{[][]int{{1000}, {1000}}, RunningAverageParams{0, 1}},
		},
	})
)
