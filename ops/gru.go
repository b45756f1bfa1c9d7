package ops

import "slices"

// Gated recurrent units (Cho et al., "Learning phrase representations using RNN encoder-decoder for statistical machine translation",
// EMNLP 2014), with the reset gate behind the product, so that all products of a time are one. With i the three parts of x, and s those
// of h·weightᵀ + bias, the gates are reset = σ(i + s) and update = σ(i + s), the candidate is tanh(i + reset·s), and the state
// (1 − update)·candidate + update·h.
var (
	GRU = gru(Operator{
		Name: "gru", Doc: "states of gated recurrent units; x (sequences,times,3·hidden) has the sums of the inputs for the reset and update gates and the candidate, weight is (3·hidden,hidden), bias (3·hidden), h the first states, lengths those of the sequences; " +
			"the results are all states, the last ones, and all gates, candidates, and sums for these from the states",
		Infer: func(c *Call) {
			s := c.gruStates()
			c.Output(c.Inputs[0].DType, s.all(4*s.hidden))
		},
		Saves: SaveInputs&^SaveInput(0) | SaveOutputs,
		Gradient: func(r *Rule) {
			r.recurrentSlopes("gru_gradient", []int{1, 3, 4}, r.OutputOf(0), r.OutputOf(2))
		},
	})

	GRUInference = gru(Operator{
		Name: "gru_inference", Doc: "the first two results of gru; its gradient computes all of them again",
		Infer: func(c *Call) { c.gruStates() },
		Saves: SaveInputs,
		Gradient: func(r *Rule) {
			all := r.ApplyAll("gru", r.Params(), r.Input(0), r.Input(1), r.Input(2), r.Input(3), r.Input(4))
			r.recurrentSlopes("gru_gradient", []int{1, 3, 4}, all[0], all[2])
		},
	})

	GRUGradient = recurrentBackward(Operator{
		Name: "gru_gradient", Doc: "gradients of gru with respect to x, weight, bias and h, from its results y and gates, and the gradients of its results",
		Inputs: []string{"weight", "h", "lengths", "y", "gates", "of_y", "of_h", "of_gates"}, Params: RecurrentParams{},
		Infer: func(c *Call) {
			s := c.checkRecurrentGradient(3, 2)
			for i, shape := range [][]int{s.all(4 * s.hidden), s.all(s.hidden), s.state(), s.all(4 * s.hidden)} {
				c.checkShape(4+i, shape)
			}
			weight := c.Inputs[0].Shape
			for _, shape := range [][]int{s.all(3 * s.hidden), slices.Clone(weight), slices.Clone(weight[:1]), s.state()} {
				c.Output(c.Inputs[0].DType, shape)
			}
		},
		Gradient: func(r *Rule) { r.derive(gruUnrolled) },
		Samples: recurrentSamples(recurrentParams, func(s recurrentSizes) [][]int {
			y, gates := s.all(s.hidden), s.all(4*s.hidden)
			return [][]int{{3 * s.hidden, s.hidden}, s.state(), {s.sequences}, y, gates, y, s.state(), gates}
		}),
	}, 2)
)

func gru(op Operator) *Operator {
	op.Inputs, op.Params = []string{"x", "weight", "bias", "h", "lengths"}, RecurrentParams{}
	op.Samples = recurrentSamples(recurrentParams, func(s recurrentSizes) [][]int {
		return [][]int{s.all(3 * s.hidden), {3 * s.hidden, s.hidden}, {3 * s.hidden}, s.state(), {s.sequences}}
	})
	return recurrentForward(op)
}

// gruStates gives a call the results that all of these operators have.
func (c *Call) gruStates() recurrentSizes {
	s := c.checkRecurrent(3, 3, 4)
	c.checkShape(2, c.Inputs[1].Shape[:1])
	c.Output(c.Inputs[0].DType, s.all(s.hidden))
	c.Output(c.Inputs[0].DType, s.state())
	return s
}

// gruUnrolled computes gru_gradient time by time.
func gruUnrolled(r *Rule, operands []Value) []Value {
	weight, h, lengths, y, gates := operands[0], operands[1], operands[2], operands[3], operands[4]
	ofY, ofH, ofGates := operands[5], operands[6], operands[7]
	s := newUnrolled(r, y, lengths, h, r.Params().(RecurrentParams).Reverse)
	zero := r.Constant(0, y)
	slopes, products, sums := make([]Value, s.times), []Value{}, []Value{}
	for step := s.times - 1; step >= 0; step-- {
		time := s.time(step)
		gate, ofGate := s.parts(s.at(gates, time)), s.parts(s.at(ofGates, time))
		reset, update, candidate, inner := gate[0], gate[1], gate[2], gate[3]
		before, state := s.before(y, h, time), r.Add(s.at(ofY, time), ofH)
		ofCandidate := r.Mul(r.Add(r.Mul(state, r.oneMinus(update)), ofGate[2]), r.slopeOfTanh(candidate))
		ofReset := r.Mul(r.Add(r.Mul(ofCandidate, inner), ofGate[0]), r.slopeOfSigmoid(reset))
		ofUpdate := r.Mul(r.Add(r.Mul(state, r.Sub(before, candidate)), ofGate[1]), r.slopeOfSigmoid(update))
		ofInner := r.Add(r.Mul(ofCandidate, reset), ofGate[3])
		slopes[time] = s.there(time, s.joined(ofReset, ofUpdate, ofCandidate), zero)
		ofSums := s.there(time, s.joined(ofReset, ofUpdate, ofInner), zero)
		products = append(products, r.Apply("matmul", nil, r.swapLast(ofSums), before))
		sums = append(sums, r.Apply("sum", ReduceParams{Axes: []int{0}}, ofSums))
		ofH = r.Add(s.there(time, r.Mul(state, update), ofH), r.Apply("matmul", nil, ofSums, weight))
	}
	bias := r.zerosOf(Operand{weight.Shape()[:1], weight.DType()})
	return []Value{s.stacked(slopes, h, 3*s.hidden), s.sumOf(products, weight), s.sumOf(sums, bias), ofH}
}
