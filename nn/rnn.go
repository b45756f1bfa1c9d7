package nn

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// RNN goes through sequences without gates: a state is the hyperbolic tangent of a linear function of the input and the state before
// (Elman, "Finding structure in time", Cognitive Science 14(2), 1990). Results and parameters are those of torch.nn.RNN with batch_first.
type RNN struct{ recurrent }

var rnnCell = &cell{name: "RNN", gates: 1, states: 1, rectifiable: true, run: func(r *recurrent, c *Ctx, s *sequences) []*nd.Array {
	params := ops.RNNParams{Reverse: s.reverse, Rectified: r.rectified}
	return c.invoke(ops.RNN, ops.RNN, params, 2, s.sums, s.weight, s.states[0], s.lengths)
}}

// NewRNN returns a float32 layer from arrays of shape (samples, times, inputs) to (samples, times, hidden). See [NewLSTM].
func NewRNN(env *nd.Env, inputs, hidden int, options ...RecurrentOption) *RNN {
	r := &RNN{}
	newRecurrent(&r.recurrent, "NewRNN", env, rnnCell, inputs, hidden, options)
	return r
}

// Run is Forward from given states h, of shape (layers·directions, samples, hidden), which returns the last ones too; nil stands for zeros.
// Lengths are those of [LSTM.Run].
func (r *RNN) Run(c *Ctx, x, lengths, h *nd.Array) (y, last *nd.Array) {
	y, all := r.pass("Run", c, x, lengths, []*nd.Array{h})
	return y, all[0]
}
