package nn

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/random"
)

// RecurrentOption changes an LSTM, GRU or RNN.
type RecurrentOption interface{ ofRecurrent(r *recurrent) }

// recurrentOption is a RecurrentOption of recurrent layers alone.
type recurrentOption func(r *recurrent)

func (o recurrentOption) ofRecurrent(r *recurrent) { o(r) }

// mostLayers bounds the layers of a stack, far above what anyone trains: those of a mistaken number would take all memory, one by one.
const mostLayers = 1 << 16

// Stacked is the number of layers, from 1, which it is without it, to 65536: each of those behind the first goes through the outputs of
// the one before.
func Stacked(layers int) RecurrentOption {
	return recurrentOption(func(r *recurrent) { r.layers = layers })
}

// Bidirectional lets each layer have a second direction, with parameters of its own, that begins at the end of a sequence. Outputs have
// the features of both, one behind the other.
func Bidirectional() RecurrentOption { return recurrentOption(func(r *recurrent) { r.directions = 2 }) }

// DropBetween drops outputs of all layers but the last with the given probability, from 0 to 1, in training, as [Dropout] does.
func DropBetween(probability float64) RecurrentOption {
	return recurrentOption(func(r *recurrent) { r.dropout = &Dropout{probability} })
}

// Rectified lets the states of an RNN be rectified, in place of hyperbolic tangents. Other layers have no such option.
func Rectified() RecurrentOption { return recurrentOption(func(r *recurrent) { r.rectified = true }) }

// cell is what a kind of recurrent layer does with sequences in one direction.
type cell struct {
	name        string
	gates       int  // parts of the sums
	states      int  // of which the last are results: the hidden one, and the cell of LSTM
	inner       bool // the bias of the hidden state is not added to that of the inputs
	rectifiable bool
	// run returns all hidden states, and behind them the last states.
	run func(r *recurrent, c *Ctx, s *sequences) []*nd.Array
}

// sequences are what a cell goes through in one direction.
type sequences struct {
	reverse bool
	sums    *nd.Array   // of the inputs, for all times
	weight  *nd.Array   // of the hidden state
	bias    *nd.Array   // of the hidden state, where it is inner; nil without biases
	states  []*nd.Array // before the first time
	lengths *nd.Array
}

// recurrent is a stack of recurrent layers. Its parameters have the names and shapes of PyTorch's.
type recurrent struct {
	deferred
	cell       *cell
	hidden     int
	layers     int
	directions int
	dropout    *Dropout
	unbiased   bool
	rectified  bool
	units      []recurrentUnit // of each layer, and each direction within it
}

// recurrentUnit is the parameters of one direction of one layer.
type recurrentUnit struct {
	suffix     string    // of the names
	ofInput    *nd.Array // (gates·hidden, inputs)
	ofHidden   *nd.Array // (gates·hidden, hidden)
	inputBias  *nd.Array // (gates·hidden,); nil without biases
	hiddenBias *nd.Array
}

func newRecurrent(r *recurrent, maker string, env *nd.Env, kind *cell, inputs, hidden int, options []RecurrentOption) {
	r.set(maker, env, kind, inputs, hidden, options)
	r.makeLater(maker, env, inputs)
}

// set applies the options, and fails if numbers do not fit.
func (r *recurrent) set(maker string, env *nd.Env, kind *cell, inputs, hidden int, options []RecurrentOption) {
	r.cell, r.hidden, r.layers, r.directions = kind, hidden, 1, 1
	for i, option := range options {
		if option == nil {
			mistake(maker, fault.ErrMisuse, fmt.Sprintf("option %d is nil", i))
		}
		option.ofRecurrent(r)
	}
	checkMaking(maker, env, 0, known(inputs))
	checkMaking(maker, env, 1, hidden)
	if r.layers < 1 || r.layers > mostLayers {
		mistake(maker, fault.ErrParameter, fmt.Sprintf("%d layers are Stacked (legal: from 1 to %d)", r.layers, mostLayers))
	}
	checkParts(maker, kind.gates, hidden)
	if r.rectified && !kind.rectifiable {
		mistake(maker, fault.ErrParameter, "the layer has no Rectified")
	}
	if d := r.dropout; d != nil && !(d.probability >= 0 && d.probability <= 1) {
		mistake(maker, fault.ErrParameter, fmt.Sprintf("the probability of DropBetween is %v (legal: from 0 to 1)", d.probability))
	}
}

// makeLater makes the parameters when the number of inputs is known, which may be at once.
func (r *recurrent) makeLater(maker string, env *nd.Env, inputs int) {
	r.later(maker, inputs, func(inputs int) {
		for layer := range r.layers {
			for _, direction := range []string{"", "_reverse"}[:r.directions] {
				r.units = append(r.units, r.newUnit(env, "_l"+strconv.Itoa(layer)+direction, inputs))
			}
			inputs = r.hidden * r.directions
		}
	})
}

// newUnit draws all parameters uniformly up to 1/√hidden, as PyTorch does.
func (r *recurrent) newUnit(env *nd.Env, suffix string, inputs int) recurrentUnit {
	rows, bound := r.cell.gates*r.hidden, 1/math.Sqrt(float64(r.hidden))
	draw := func(shape ...int) *nd.Array { return random.Uniform(env, dtype.Float32, -bound, bound, shape...) }
	u := recurrentUnit{suffix: suffix, ofInput: draw(rows, inputs), ofHidden: draw(rows, r.hidden)}
	if !r.unbiased {
		u.inputBias, u.hiddenBias = draw(rows), draw(rows)
	}
	return u
}

// named yields the parameters with the names of PyTorch's.
func (u *recurrentUnit) named(yield func(string, *nd.Array) bool) bool {
	for _, p := range []struct {
		name  string
		array *nd.Array
	}{{"weight_ih", u.ofInput}, {"weight_hh", u.ofHidden}, {"bias_ih", u.inputBias}, {"bias_hh", u.hiddenBias}} {
		if p.array != nil && !yield(p.name+u.suffix, p.array) {
			return false
		}
	}
	return true
}

// initialise draws the weights, those of each gate by themselves, and sets the biases to zero.
func (u *recurrentUnit) initialise(env *nd.Env, gates int, draw Initialiser) {
	for _, weight := range []*nd.Array{u.ofInput, u.ofHidden} {
		rows, inputs := weight.Shape()[0]/gates, weight.Shape()[1]
		for gate := range gates {
			part := weight.Index(nd.Span(gate*rows, (gate+1)*rows))
			nd.CopyInto(part, draw(env, inputs, rows, rows, inputs))
		}
	}
	for _, bias := range []*nd.Array{u.inputBias, u.hiddenBias} {
		clearBias(env, bias)
	}
}

// Named implements Layer. The names are those of PyTorch's: weight_ih_l0, of shape (gates·hidden, inputs), weight_hh_l0, (gates·hidden,
// hidden), bias_ih_l0 and bias_hh_l0, (gates·hidden,), the same of further layers and, behind these, with _reverse, of second directions.
// The order of gates is PyTorch's too, so that a state of its can be given to [SetState].
func (r *recurrent) Named() iter.Seq2[string, *nd.Array] {
	r.must(r.cell.name)
	return func(yield func(string, *nd.Array) bool) {
		for i := range r.units {
			if !r.units[i].named(yield) {
				return
			}
		}
	}
}

// Initialise implements Weighted. The weights of each gate are drawn by themselves.
func (r *recurrent) Initialise(env *nd.Env, draw Initialiser) {
	checkDrawing(r.cell.name+".Initialise", env, draw)
	r.must(r.cell.name)
	for i := range r.units {
		r.units[i].initialise(env, r.cell.gates, draw)
	}
}

// Forward implements Layer: it returns the outputs of the last layer for all times, (samples, times, hidden), or twice as many features
// with two directions. States begin with zeros.
func (r *recurrent) Forward(c *Ctx, x *nd.Array) *nd.Array {
	y, last := r.pass("Forward", c, x, nil, make([]*nd.Array, r.cell.states))
	discard(last...)
	return y
}

// pass goes through sequences from the given states, (layers·directions, samples, hidden); those that are nil are zeros, and so are
// lengths that all are the number of times.
func (r *recurrent) pass(call string, c *Ctx, x, lengths *nd.Array, states []*nd.Array) (y *nd.Array, last []*nd.Array) {
	call = r.cell.name + "." + call
	r.check(call, c, x, "samples,times")
	lengths = wholeLengths(call, x, lengths)
	r.checkStates(call, states, len(r.units), x.Shape()[0], r.hidden)
	collected := make([][]*nd.Array, r.cell.states)
	flow := between{array: x}
	for layer := range r.layers {
		outputs := []*nd.Array{}
		for direction := range r.directions {
			unit := layer*r.directions + direction
			own := make([]*nd.Array, r.cell.states)
			for i, all := range states {
				if all != nil {
					own[i] = all.Index(unit)
				}
			}
			y, ends := r.units[unit].run(r, c, flow.array, direction == 1, own, lengths)
			outputs = append(outputs, y)
			for i, end := range ends {
				collected[i] = append(collected[i], end)
			}
		}
		y := outputs[0]
		if r.directions == 2 {
			y = nd.Concat(-1, outputs...)
			discard(outputs...)
		}
		flow.pass(y, true)
		if r.dropout != nil && layer+1 < r.layers {
			flow.pass(r.dropout.Forward(c, flow.array), true)
		}
	}
	for _, ends := range collected {
		if len(ends) == 1 {
			last = append(last, ends[0].ExpandDims(0))
			continue
		}
		last = append(last, nd.Stack(0, ends...))
		discard(ends...)
	}
	return flow.array, last
}

// run goes through sequences in one direction. States that are nil are zeros.
func (u *recurrentUnit) run(r *recurrent, c *Ctx, x *nd.Array, reverse bool, states []*nd.Array, lengths *nd.Array) (y *nd.Array, last []*nd.Array) {
	ofInput := c.Param(u.ofInput)
	s := &sequences{reverse: reverse, weight: c.Param(u.ofHidden), states: states, lengths: lengths}
	switch {
	case u.inputBias == nil:
		s.sums = x.MatMul(ofInput.T())
	case r.cell.inner:
		s.sums, s.bias = x.Linear(ofInput.T(), nd.NoActivation, c.Param(u.inputBias)), c.Param(u.hiddenBias)
	default:
		s.sums = x.Linear(ofInput.T(), nd.NoActivation, c.Param(u.inputBias).Add(c.Param(u.hiddenBias)))
	}
	for i := range states {
		if states[i] == nil {
			states[i] = nd.ZerosIn(x.Env(), s.weight.DType()).BroadcastTo(x.Shape()[0], r.hidden)
		}
	}
	results := r.cell.run(r, c, s)
	discard(s.sums)
	return results[0], results[1:]
}

// invoke calls the first operator if a tape may need what it keeps beside its results, else the second, and returns so many results.
func (c *Ctx) invoke(keeping, inference *ops.Operator, params any, results int, operands ...*nd.Array) []*nd.Array {
	op := inference
	if c.Tape != nil || c.Train {
		op = keeping
	}
	all := nd.Invoke(op, params, operands...)
	discard(all[results:]...)
	return all[:results]
}

// discard gives back what nobody else has seen when all that reads it is done, and no tape needs it.
func discard(arrays ...*nd.Array) {
	for _, a := range arrays {
		(*ops.Tensor)(a).Discard(fault.Here(2))
	}
}

// wholeLengths returns lengths, or the number of times for each sample if they are nil. It fails if they do not fit.
func wholeLengths(call string, x, lengths *nd.Array) *nd.Array {
	samples, times := x.Shape()[0], x.Shape()[1]
	switch {
	case lengths == nil:
		return nd.FullIn(x.Env(), dtype.Int64, float64(times)).BroadcastTo(samples)
	case lengths.DType() != dtype.Int64:
		mistake(call, fault.ErrDType, fmt.Sprintf("lengths are %v, want int64", lengths.DType()), x, lengths)
	case !slices.Equal(lengths.Shape(), []int{samples}):
		mistake(call, fault.ErrShape, fmt.Sprintf("lengths have shape %s, want (%d,)", fault.FormatShape(lengths.Shape()), samples), x, lengths)
	}
	return lengths
}

// check makes the parameters if that was not done yet, and fails unless x has axes of the given names and behind them one of the inputs.
func (r *recurrent) check(call string, c *Ctx, x *nd.Array, axes string) {
	checkCall(call, c, x)
	shape := x.Shape()
	failShape := func(features string) {
		mistake(call, fault.ErrShape, fmt.Sprintf("x has shape %s, want (%s,%s)", fault.FormatShape(shape), axes, features), x)
	}
	last := 1 + strings.Count(axes, ",")
	if len(shape) != 1+last {
		failShape("features")
	}
	r.ready(call, x, -1)
	if want := r.units[0].ofInput.Shape()[1]; shape[last] != want {
		failShape(strconv.Itoa(want))
	}
}

// checkStates fails if states that are not nil are no floats or have another shape.
func (r *recurrent) checkStates(call string, states []*nd.Array, shape ...int) {
	for i, name := range []string{"the hidden states", "the cell states"}[:r.cell.states] {
		switch s := states[i]; {
		case s == nil:
		case !s.DType().IsFloat():
			mistake(call, fault.ErrDType, fmt.Sprintf("%s are %v, want floats", name, s.DType()), s)
		case !slices.Equal(s.Shape(), shape):
			mistake(call, fault.ErrShape, fmt.Sprintf("%s have shape %s, want %s", name, fault.FormatShape(s.Shape()), fault.FormatShape(shape)), s)
		}
	}
}
