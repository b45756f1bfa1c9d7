package ops

import "slices"

// RNNParams are the parameters of rnn and rnn_gradient.
type RNNParams struct {
	Reverse   bool `doc:"whether times are taken from the last one on"`
	Rectified bool `doc:"whether states are rectified, in place of hyperbolic tangents"`
}

func (p RNNParams) flags() []bool { return []bool{p.Reverse, p.Rectified} }

// Recurrent networks without gates (Elman, "Finding structure in time", Cognitive Science 14(2), 1990): the state is a function of
// x + h·weightᵀ.
var (
	RNN = recurrentForward(Operator{
		Name: "rnn", Doc: "states of a recurrent network without gates; x (sequences,times,hidden) has the sums of the inputs, weight is (hidden,hidden), h the first states, lengths those of the sequences; the results are all states, and the last ones",
		Inputs: []string{"x", "weight", "h", "lengths"}, Params: RNNParams{}, Saves: SaveInputs&^SaveInput(0) | SaveOutputs,
		Infer: func(c *Call) {
			s := c.checkRecurrent(1, 2, 3)
			c.Output(c.Inputs[0].DType, s.all(s.hidden))
			c.Output(c.Inputs[0].DType, s.state())
		},
		Gradient: func(r *Rule) { r.recurrentSlopes("rnn_gradient", []int{1, 2, 3}, r.Output()) },
		Samples: rnnSamples(func(s recurrentSizes) [][]int {
			return [][]int{s.all(s.hidden), {s.hidden, s.hidden}, s.state(), {s.sequences}}
		}),
	})

	RNNGradient = recurrentBackward(Operator{
		Name: "rnn_gradient", Doc: "gradients of rnn with respect to x, weight and h, from its result y, and the gradients of its results",
		Inputs: []string{"weight", "h", "lengths", "y", "of_y", "of_h"}, Params: RNNParams{},
		Infer: func(c *Call) {
			s := c.checkRecurrentGradient(1, 2)
			c.checkShape(4, s.all(s.hidden))
			c.checkShape(5, s.state())
			for _, shape := range [][]int{s.all(s.hidden), slices.Clone(c.Inputs[0].Shape), s.state()} {
				c.Output(c.Inputs[0].DType, shape)
			}
		},
		Gradient: func(r *Rule) { r.derive(rnnUnrolled) },
		Samples: rnnSamples(func(s recurrentSizes) [][]int {
			return [][]int{{s.hidden, s.hidden}, s.state(), {s.sequences}, s.all(s.hidden), s.all(s.hidden), s.state()}
		}),
	}, 1)
)

func rnnSamples(shapes func(s recurrentSizes) [][]int) []Sample {
	return slices.Concat(
		recurrentSamples(func(reverse bool) any { return RNNParams{Reverse: reverse} }, shapes),
		recurrentSamples(func(reverse bool) any { return RNNParams{reverse, true} }, shapes),
	)
}

// rnnUnrolled computes rnn_gradient time by time.
func rnnUnrolled(r *Rule, operands []Value) []Value {
	weight, h, lengths, y, ofY, ofH := operands[0], operands[1], operands[2], operands[3], operands[4], operands[5]
	p := r.Params().(RNNParams)
	s := newUnrolled(r, y, lengths, h, p.Reverse)
	zero := r.Constant(0, y)
	slopes, products := make([]Value, s.times), []Value{}
	for step := s.times - 1; step >= 0; step-- {
		time := s.time(step)
		state, slope := s.at(y, time), r.Add(s.at(ofY, time), ofH)
		if p.Rectified {
			slope = r.Apply("relu_gradient", nil, state, slope)
		} else {
			slope = r.Mul(slope, r.slopeOfTanh(state))
		}
		slopes[time] = s.there(time, slope, zero)
		products = append(products, r.Apply("matmul", nil, r.swapLast(slopes[time]), s.before(y, h, time)))
		ofH = r.Add(s.there(time, zero, ofH), r.Apply("matmul", nil, slopes[time], weight))
	}
	return []Value{s.stacked(slopes, h, s.hidden), s.sumOf(products, weight), ofH}
}
