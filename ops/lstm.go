package ops

import "slices"

// Long short-term memory (Hochreiter and Schmidhuber, Neural Computation 9(8), 1997; with forget gates: Gers,
// Schmidhuber and Cummins, Neural Computation 12(10), 2000). With the four parts of x + h·weightᵀ the gates are in = σ,
// forget = σ, candidate = tanh and out = σ, the cell state forget·c + in·candidate, and the hidden state out·tanh of
// that.
var (
	LSTM = lstm(Operator{
		Name: "lstm", Doc: "states of long short-term memory; x (sequences,times,4·hidden) has the sums of the inputs for the in, forget, candidate and out gates, weight is (4·hidden,hidden), h and c are the first states, lengths those of the sequences; " +
			"the results are all hidden states, the last hidden and cell states, and all gates and cell states",
		Infer: func(c *Call) {
			s := c.lstmStates()
			c.Output(c.Inputs[0].DType, s.all(4*s.hidden))
			c.Output(c.Inputs[0].DType, s.all(s.hidden))
		},
		Saves: SaveInputs&^SaveInput(0) | SaveOutputs,
		Gradient: func(r *Rule) {
			r.recurrentSlopes("lstm_gradient", []int{1, 2, 3, 4}, r.OutputOf(0), r.OutputOf(3), r.OutputOf(4))
		},
	})

	LSTMInference = lstm(Operator{
		Name: "lstm_inference", Doc: "the first three results of lstm; its gradient computes all of them again",
		Infer: func(c *Call) { c.lstmStates() },
		Saves: SaveInputs,
		Gradient: func(r *Rule) {
			all := r.ApplyAll("lstm", r.Params(), r.Input(0), r.Input(1), r.Input(2), r.Input(3), r.Input(4))
			r.recurrentSlopes("lstm_gradient", []int{1, 2, 3, 4}, all[0], all[3], all[4])
		},
	})

	LSTMGradient = recurrentBackward(Operator{
		Name: "lstm_gradient", Doc: "gradients of lstm with respect to x, weight, h and c, from its results y, gates and cells, and the gradients of its results",
		Inputs: []string{"weight", "h", "c", "lengths", "y", "gates", "cells", "of_y", "of_h", "of_c", "of_gates", "of_cells"}, Params: RecurrentParams{},
		Infer: func(c *Call) {
			s := c.checkRecurrentGradient(4, 3)
			for i, shape := range [][]int{s.all(4 * s.hidden), s.all(s.hidden), s.all(s.hidden), s.state(), s.state(), s.all(4 * s.hidden), s.all(s.hidden)} {
				c.checkShape(5+i, shape)
			}
			for _, shape := range [][]int{s.all(4 * s.hidden), slices.Clone(c.Inputs[0].Shape), s.state(), s.state()} {
				c.Output(c.Inputs[0].DType, shape)
			}
		},
		Gradient: func(r *Rule) { r.derive(lstmUnrolled) },
		Samples: recurrentSamples(recurrentParams, func(s recurrentSizes) [][]int {
			y, x := s.all(s.hidden), s.all(4*s.hidden)
			return [][]int{{4 * s.hidden, s.hidden}, s.state(), s.state(), {s.sequences}, y, x, y, y, s.state(), s.state(), x, y}
		}),
	}, 1)
)

func lstm(op Operator) *Operator {
	op.Inputs, op.Params = []string{"x", "weight", "h", "c", "lengths"}, RecurrentParams{}
	op.Samples = recurrentSamples(recurrentParams, func(s recurrentSizes) [][]int {
		return [][]int{s.all(4 * s.hidden), {4 * s.hidden, s.hidden}, s.state(), s.state(), {s.sequences}}
	})
	return recurrentForward(op)
}

// lstmStates gives a call the results that all of these operators have.
func (c *Call) lstmStates() recurrentSizes {
	s := c.checkRecurrent(4, 2, 4)
	for _, shape := range [][]int{s.all(s.hidden), s.state(), s.state()} {
		c.Output(c.Inputs[0].DType, shape)
	}
	return s
}

// lstmUnrolled computes lstm_gradient time by time.
func lstmUnrolled(r *Rule, operands []Value) []Value {
	weight, h, c, lengths, y, gates, cells := operands[0], operands[1], operands[2], operands[3], operands[4], operands[5], operands[6]
	ofY, ofH, ofC, ofGates, ofCells := operands[7], operands[8], operands[9], operands[10], operands[11]
	s := newUnrolled(r, y, lengths, h, r.Params().(RecurrentParams).Reverse)
	zero := r.Constant(0, y)
	slopes, products := make([]Value, s.times), []Value{}
	for step := s.times - 1; step >= 0; step-- {
		time := s.time(step)
		gate, ofGate := s.parts(s.at(gates, time)), s.parts(s.at(ofGates, time))
		in, forget, candidate, out := gate[0], gate[1], gate[2], gate[3]
		bent := r.Apply("tanh", nil, s.at(cells, time))
		hidden := r.Add(s.at(ofY, time), ofH)
		cell := r.Add(r.Add(ofC, s.at(ofCells, time)), r.Mul(r.Mul(hidden, out), r.slopeOfTanh(bent)))
		slopes[time] = s.there(time, s.joined(
			r.Mul(r.Add(r.Mul(cell, candidate), ofGate[0]), r.slopeOfSigmoid(in)),
			r.Mul(r.Add(r.Mul(cell, s.before(cells, c, time)), ofGate[1]), r.slopeOfSigmoid(forget)),
			r.Mul(r.Add(r.Mul(cell, in), ofGate[2]), r.slopeOfTanh(candidate)),
			r.Mul(r.Add(r.Mul(hidden, bent), ofGate[3]), r.slopeOfSigmoid(out)),
		), zero)
		products = append(products, r.Apply("matmul", nil, r.swapLast(slopes[time]), s.before(y, h, time)))
		ofH = r.Add(s.there(time, zero, ofH), r.Apply("matmul", nil, slopes[time], weight))
		ofC = s.there(time, r.Mul(cell, forget), ofC)
	}
	return []Value{s.stacked(slopes, h, 4*s.hidden), s.sumOf(products, weight), ofH, ofC}
}
