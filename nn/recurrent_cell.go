package nn

import (
	"iter"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// recurrentCell is one time of a recurrent layer, for sequences whose inputs follow from their states.
type recurrentCell struct{ recurrent }

func newRecurrentCell(r *recurrentCell, env *nd.Env, kind *cell, inputs, hidden int, options []RecurrentOption) {
	maker := "New" + kind.name + "Cell"
	r.set(maker, env, kind, inputs, hidden, options)
	if r.layers != 1 || r.directions != 1 || r.dropout != nil {
		mistake(maker, fault.ErrParameter, "a cell has one layer and one direction, and drops nothing")
	}
	r.makeLater(maker, env, inputs)
}

// step computes the next states.
func (r *recurrentCell) step(call string, c *Ctx, x *nd.Array, states ...*nd.Array) []*nd.Array {
	name := r.cell.name + "Cell." + call
	r.check(name, c, x, "samples")
	r.checkStates(name, states, x.Shape()[0], r.hidden)
	x = x.ExpandDims(1)
	y, last := r.units[0].run(&r.recurrent, c, x, false, states, wholeLengths(name, x, nil))
	discard(y)
	return last
}

// Forward implements Layer: it returns the hidden states, (samples, hidden), after inputs of shape (samples, inputs), from zeros.
func (r *recurrentCell) Forward(c *Ctx, x *nd.Array) *nd.Array {
	last := r.step("Forward", c, x, make([]*nd.Array, r.cell.states)...)
	discard(last[1:]...)
	return last[0]
}

// Named implements Layer. The names are those of PyTorch's: weight_ih, weight_hh, bias_ih and bias_hh.
func (r *recurrentCell) Named() iter.Seq2[string, *nd.Array] {
	r.must(r.cell.name + "Cell")
	return func(yield func(string, *nd.Array) bool) {
		unit := r.units[0]
		unit.suffix = ""
		unit.named(yield)
	}
}

// LSTMCell is one time of an [LSTM] of one layer.
type LSTMCell struct{ recurrentCell }

// NewLSTMCell returns a float32 layer from arrays of shape (samples, inputs) to (samples, hidden). See [NewLSTM]; of the options there is
// Unbiased alone.
func NewLSTMCell(env *nd.Env, inputs, hidden int, options ...RecurrentOption) *LSTMCell {
	l := &LSTMCell{}
	newRecurrentCell(&l.recurrentCell, env, lstmCell, inputs, hidden, options)
	return l
}

// Step returns the hidden and cell states, (samples, hidden), after inputs x, (samples, inputs), from those before; nil stands for zeros.
func (l *LSTMCell) Step(c *Ctx, x, h, cells *nd.Array) (nextH, nextCells *nd.Array) {
	next := l.step("Step", c, x, h, cells)
	return next[0], next[1]
}

// GRUCell is one time of a [GRU] of one layer.
type GRUCell struct{ recurrentCell }

// NewGRUCell returns a float32 layer from arrays of shape (samples, inputs) to (samples, hidden). See [NewLSTMCell].
func NewGRUCell(env *nd.Env, inputs, hidden int, options ...RecurrentOption) *GRUCell {
	g := &GRUCell{}
	newRecurrentCell(&g.recurrentCell, env, gruCell, inputs, hidden, options)
	return g
}

// Step returns the states, (samples, hidden), after inputs x, (samples, inputs), from those before, h; nil stands for zeros.
func (g *GRUCell) Step(c *Ctx, x, h *nd.Array) *nd.Array { return g.step("Step", c, x, h)[0] }
