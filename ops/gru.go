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
		Saves: SaveInputs&^SaveInput(0) | SaveOutputs,
		Gradient: func(r *Rule) {
			r.gruSlopes(r.OutputOf(0), r.OutputOf(2))
		},
	}, true)

	GRUInference = gru(Operator{
		Name: "gru_inference", Doc: "the first two results of gru; its gradient computes all of them again",
		Saves: SaveInputs,
		Gradient: func(r *Rule) {
			all := r.ApplyAll("gru", r.Params(), r.Input(0), r.Input(1), r.Input(2), r.Input(3), r.Input(4))
			r.gruSlopes(all[0], all[2])
		},
	}, false)

	GRUGradient = Register(&Operator{
		Name: "gru_gradient", Doc: "gradients of gru with respect to x, weight, bias and h, from its results y and gates, and the gradients of its results",
		Inputs: []string{"weight", "h", "lengths", "y", "gates", "of_y", "of_h", "of_gates"},
		Params: RecurrentParams{}, Accepts: floating, Convert: toRecurrent(2), Saves: SaveInputs,
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
		Lower: func(c *Call, l *Lowered) {
			lowerRecurrent(l, 0, c.Inputs[3].Shape, 2, c.Params.(RecurrentParams).Reverse)
		},
		Work:     func(c *Call) int64 { return recurrentWork(c.Inputs[3].Shape, c.Inputs[0].Shape, 2) },
		Gradient: func(r *Rule) { r.derive(gruUnrolled) },
		Samples:  gruSamples(true),
	})
)

func gru(op Operator, keeps bool) *Operator {
	op.Inputs, op.Params, op.Accepts, op.Convert = []string{"x", "weight", "bias", "h", "lengths"}, RecurrentParams{}, floating, toRecurrent(4)
	op.Infer = func(c *Call) {
		s, d := c.checkRecurrent(3, 3, 4), c.Inputs[0].DType
		c.checkShape(2, c.Inputs[1].Shape[:1])
		c.Output(d, s.all(s.hidden))
		c.Output(d, s.state())
		if keeps {
			c.Output(d, s.all(4*s.hidden))
		}
	}
	op.Lower = func(c *Call, l *Lowered) {
		lowerRecurrent(l, 1, nil, 0, c.Params.(RecurrentParams).Reverse)
	}
	op.Work = func(c *Call) int64 { return recurrentWork(c.Inputs[0].Shape, c.Inputs[1].Shape, 1) }
	op.Samples = gruSamples(false)
	return Register(&op)
}

// gruSlopes sets the gradients of a call with the given states and gates.
func (r *Rule) gruSlopes(y, gates Value) {
	operands := append([]Value{r.Input(1), r.Input(3), r.Input(4), y, gates}, r.upstreams(2)...)
	up := r.zerosOf(Operand{gates.Shape(), gates.DType()})
	if len(r.upstream) > 2 && r.upstream[2] != nil {
		up = r.upstream[2]
	}
	for i, g := range r.ApplyAll("gru_gradient", r.Params(), append(operands, up)...) {
		r.Set(i, g)
	}
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
		gate, ofGate := s.parts(s.at(gates, time), 4), s.parts(s.at(ofGates, time), 4)
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

func gruSamples(gradient bool) (samples []Sample) {
	for _, n := range recurrentSamples {
		x, y, gates := []int{n.sequences, n.times, 3 * n.hidden}, []int{n.sequences, n.times, n.hidden}, []int{n.sequences, n.times, 4 * n.hidden}
		weight, state := []int{3 * n.hidden, n.hidden}, []int{n.sequences, n.hidden}
		shapes := [][]int{x, weight, weight[:1], state, {n.sequences}}
		if gradient {
			shapes = [][]int{weight, state, {n.sequences}, y, gates, y, state, gates}
		}
		samples = append(samples, Sample{shapes, RecurrentParams{n.reverse}})
	}
	return samples
}
