package nn

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// LSTM goes through sequences with long short-term memory, whose gates say what a state forgets, takes in and shows (Hochreiter and
// Schmidhuber, "Long short-term memory", Neural Computation 9(8), 1997; with forget gates: Gers, Schmidhuber and Cummins, Neural
// Computation 12(10), 2000). Results and parameters are those of torch.nn.LSTM with batch_first.
type LSTM struct{ recurrent }

var lstmCell = &cell{name: "LSTM", gates: 4, states: 2, run: func(_ *recurrent, c *Ctx, s *sequences) []*nd.Array {
	return c.invoke(ops.LSTM, ops.LSTMInference, ops.RecurrentParams{Reverse: s.reverse}, 3, s.sums, s.weight, s.states[0], s.states[1], s.lengths)
}}

// NewLSTM returns a float32 layer from arrays of shape (samples, times, inputs) to (samples, times, hidden). Parameters are drawn
// from the generator of env, uniformly from −1/√hidden to 1/√hidden, biases too. The inputs may be Unknown. It panics with *nd.Error if a
// number is too small.
func NewLSTM(env *nd.Env, inputs, hidden int, options ...RecurrentOption) *LSTM {
	l := &LSTM{}
	newRecurrent(&l.recurrent, "NewLSTM", env, lstmCell, inputs, hidden, options)
	return l
}

// Run is Forward from given hidden and cell states, h and cells, of shape (layers·directions, samples, hidden), which returns the last ones
// too; nil stands for zeros. Lengths, int64 of shape (samples,), are how many times each sample has, from 0 on; nil stands for all. The
// outputs behind them are zero, and the states stay what they were there; second directions begin at the ends of the samples. What x
// has there is not looked at, but must be finite if gradients of parameters are wanted. A length out of range is an error of the results.
func (l *LSTM) Run(c *Ctx, x, lengths, h, cells *nd.Array) (y, lastH, lastCells *nd.Array) {
	y, last := l.pass("Run", c, x, lengths, []*nd.Array{h, cells})
	return y, last[0], last[1]
}
