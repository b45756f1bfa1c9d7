package nn

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// GRU goes through sequences with gated recurrent units (Cho et al., "Learning phrase representations using RNN encoder-decoder for
// statistical machine translation", EMNLP 2014), whose reset gate is behind the product of the state, as that of torch.nn.GRU with
// batch_first, of which results and parameters are.
type GRU struct{ recurrent }

var gruCell = &cell{name: "GRU", gates: 3, states: 1, inner: true, run: func(r *recurrent, c *Ctx, s *sequences) []*nd.Array {
	bias := s.bias
	if bias == nil {
		bias = nd.ZerosIn(s.sums.Env(), s.weight.DType()).BroadcastTo(3 * r.hidden)
	}
	return c.invoke(ops.GRU, ops.GRUInference, ops.RecurrentParams{Reverse: s.reverse}, 2, s.sums, s.weight, bias, s.states[0], s.lengths)
}}

// NewGRU returns a float32 layer from arrays of shape (samples, times, inputs) to (samples, times, hidden). See [NewLSTM].
func NewGRU(env *nd.Env, inputs, hidden int, options ...RecurrentOption) *GRU {
	g := &GRU{}
	newRecurrent(&g.recurrent, "NewGRU", env, gruCell, inputs, hidden, options)
	return g
}

// Run is Forward from given states h, of shape (layers·directions, samples, hidden), which returns the last ones too; nil stands for zeros.
// Lengths are those of [LSTM.Run].
func (g *GRU) Run(c *Ctx, x, lengths, h *nd.Array) (y, last *nd.Array) {
	y, all := g.pass("Run", c, x, lengths, []*nd.Array{h})
	return y, all[0]
}
