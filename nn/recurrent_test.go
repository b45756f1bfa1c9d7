package nn_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/random"
)

// recurrentLayer is what all kinds of recurrent layers have; run gives the states in order, nil for zeros.
type recurrentLayer struct {
	nn.Weighted
	run func(c *nn.Ctx, x, lengths *nd.Array, states []*nd.Array) []*nd.Array
}

type recurrentKind struct {
	name   string
	states int
	layer  func(env *nd.Env, inputs, hidden int, options ...nn.RecurrentOption) recurrentLayer
	// step replaces the states of a sample by the next ones, from the sums of the inputs and of the hidden state.
	step func(i, h []float64, states [][]float64)
}

func newLSTMLayer(env *nd.Env, inputs, hidden int, options ...nn.RecurrentOption) recurrentLayer {
	l := nn.NewLSTM(env, inputs, hidden, options...)
	return recurrentLayer{l, func(c *nn.Ctx, x, lengths *nd.Array, states []*nd.Array) []*nd.Array {
		y, h, cells := l.Run(c, x, lengths, states[0], states[1])
		return []*nd.Array{y, h, cells}
	}}
}

func newGRULayer(env *nd.Env, inputs, hidden int, options ...nn.RecurrentOption) recurrentLayer {
	l := nn.NewGRU(env, inputs, hidden, options...)
	return recurrentLayer{l, func(c *nn.Ctx, x, lengths *nd.Array, states []*nd.Array) []*nd.Array {
		y, h := l.Run(c, x, lengths, states[0])
		return []*nd.Array{y, h}
	}}
}

func newRNNLayer(env *nd.Env, inputs, hidden int, options ...nn.RecurrentOption) recurrentLayer {
	l := nn.NewRNN(env, inputs, hidden, options...)
	return recurrentLayer{l, func(c *nn.Ctx, x, lengths *nd.Array, states []*nd.Array) []*nd.Array {
		y, h := l.Run(c, x, lengths, states[0])
		return []*nd.Array{y, h}
	}}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

var recurrentKinds = []recurrentKind{
	{"LSTM", 2, newLSTMLayer, func(i, h []float64, states [][]float64) {
		n := len(states[0])
		for j := range n {
			sum := func(gate int) float64 { return i[gate*n+j] + h[gate*n+j] }
			states[1][j] = logistic(sum(1))*states[1][j] + logistic(sum(0))*math.Tanh(sum(2))
			states[0][j] = logistic(sum(3)) * math.Tanh(states[1][j])
		}
	}},
	{"GRU", 1, newGRULayer, func(i, h []float64, states [][]float64) {
		n := len(states[0])
		for j := range n {
			reset, update := logistic(i[j]+h[j]), logistic(i[n+j]+h[n+j])
			states[0][j] = (1-update)*math.Tanh(i[2*n+j]+reset*h[2*n+j]) + update*states[0][j]
		}
	}},
	{"RNN", 1, newRNNLayer, func(i, h []float64, states [][]float64) {
		for j := range i {
			states[0][j] = math.Tanh(i[j] + h[j])
		}
	}},
	{"rectified RNN", 1, func(env *nd.Env, inputs, hidden int, options ...nn.RecurrentOption) recurrentLayer {
		return newRNNLayer(env, inputs, hidden, append(options, nn.Rectified())...)
	}, func(i, h []float64, states [][]float64) {
		for j := range i {
			states[0][j] = max(i[j]+h[j], 0)
		}
	}},
}

func eachRecurrent(t *testing.T, body func(t *testing.T, kind recurrentKind)) {
	for _, kind := range recurrentKinds {
		t.Run(kind.name, func(t *testing.T) { body(t, kind) })
	}
}

func float64s(t *testing.T, a *nd.Array) []float64 {
	values, err := nd.ValuesAs[float64](a)
	require.NoError(t, err)
	return values
}

// affineOf returns weight·v plus bias, if there is one.
func affineOf(weight, bias, v []float64) []float64 {
	sums := make([]float64, len(weight)/max(len(v), 1))
	for i := range sums {
		if bias != nil {
			sums[i] = bias[i]
		}
		for j, x := range v {
			sums[i] += weight[i*len(v)+j] * x
		}
	}
	return sums
}

// sequence computes one sample: x has a row for each time, and states is (layers·directions, states, hidden). It returns a row for each time,
// and replaces the states.
func (k recurrentKind) sequence(parameters map[string][]float64, layers, directions int, x [][]float64, length int, states [][][]float64) [][]float64 {
	for layer := range layers {
		outputs := make([][]float64, len(x))
		for direction := range directions {
			suffix := "_l" + string(rune('0'+layer)) + []string{"", "_reverse"}[direction]
			own := states[layer*directions+direction]
			hidden := len(own[0])
			for step := range x {
				time := step
				if direction == 1 {
					time = len(x) - 1 - step
				}
				if time >= length {
					outputs[time] = append(outputs[time], make([]float64, hidden)...)
					continue
				}
				k.step(affineOf(parameters["weight_ih"+suffix], parameters["bias_ih"+suffix], x[time]), affineOf(parameters["weight_hh"+suffix], parameters["bias_hh"+suffix], own[0]), own)
				outputs[time] = append(outputs[time], own[0]...)
			}
		}
		x = outputs
	}
	return x
}

// oracle computes all results of a layer, slowly, in float64. Lengths and states may be nil.
func (k recurrentKind) oracle(t *testing.T, l nn.Layer, layers, directions, hidden int, x, lengths *nd.Array, states []*nd.Array) [][]float64 {
	parameters := map[string][]float64{}
	for name, p := range l.Named() {
		parameters[name] = float64s(t, p)
	}
	shape, units := x.Shape(), layers*directions
	samples, times, inputs := shape[0], shape[1], shape[2]
	results := make([][]float64, 1+k.states)
	for i := range k.states {
		results[1+i] = make([]float64, units*samples*hidden)
		if states[i] != nil {
			copy(results[1+i], float64s(t, states[i]))
		}
	}
	elements := float64s(t, x)
	for sample := range samples {
		rows, own := [][]float64{}, make([][][]float64, units)
		for time := range times {
			rows = append(rows, elements[(sample*times+time)*inputs:][:inputs])
		}
		for unit := range units {
			for i := range k.states {
				own[unit] = append(own[unit], results[1+i][(unit*samples+sample)*hidden:][:hidden])
			}
		}
		length := times
		if lengths != nil {
			length = int(float64s(t, lengths)[sample])
		}
		for _, row := range k.sequence(parameters, layers, directions, rows, length, own) {
			results[0] = append(results[0], row...)
		}
	}
	return results
}

func TestRecurrentLayersAreTheirFormulas(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(5)
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		for _, c := range []struct {
			samples, times, inputs, hidden, layers int
			both, unbiased, states, lengths        bool
		}{
			{samples: 3, times: 4, inputs: 2, hidden: 5, layers: 1},
			{samples: 3, times: 4, inputs: 2, hidden: 5, layers: 1, unbiased: true, states: true},
			{samples: 19, times: 7, inputs: 3, hidden: 17, layers: 2, both: true, states: true, lengths: true},
			{samples: 2, times: 5, inputs: 4, hidden: 3, layers: 3, both: true},
			{samples: 4, times: 3, inputs: 1, hidden: 2, layers: 2, lengths: true},
			{samples: 1, times: 1, inputs: 1, hidden: 1, layers: 1, both: true, states: true},
			{samples: 0, times: 3, inputs: 2, hidden: 4, layers: 2, both: true, states: true, lengths: true},
			{samples: 2, times: 0, inputs: 2, hidden: 4, layers: 2, both: true, states: true},
			{samples: 9, times: 6, inputs: 70, hidden: 130, layers: 1, lengths: true},
		} {
			options, directions := []nn.RecurrentOption{nn.Stacked(c.layers)}, 1
			if c.both {
				options, directions = append(options, nn.Bidirectional()), 2
			}
			if c.unbiased {
				options = append(options, nn.Unbiased())
			}
			l := kind.layer(env, c.inputs, c.hidden, options...)
			x := random.Normal(env, dtype.Float32, 0, 1, c.samples, c.times, c.inputs)
			var lengths *nd.Array
			if c.lengths {
				lengths = random.Integers[int64](env, 0, int64(c.times), c.samples)
			}
			states := make([]*nd.Array, kind.states)
			for i := range states {
				if c.states {
					states[i] = random.Normal(env, dtype.Float32, 0, 1, c.layers*directions, c.samples, c.hidden)
				}
			}
			want := kind.oracle(t, l, c.layers, directions, c.hidden, x, lengths, states)
			for _, ctx := range []*nn.Ctx{nn.Infer(), nn.Train(autograd.NewTape(), env.Generator())} {
				got := l.run(ctx, x, lengths, slices.Clone(states))
				require.Equal(t, []int{c.samples, c.times, directions * c.hidden}, got[0].Shape())
				for i, a := range got {
					if i > 0 {
						require.Equal(t, []int{c.layers * directions, c.samples, c.hidden}, a.Shape())
					}
					require.InDeltaSlice(t, append([]float64{0}, want[i]...), append([]float64{0}, float64s(t, a)...), 1e-4, "%+v result %d", c, i)
				}
				if !c.states && !c.lengths {
					require.Equal(t, float64s(t, got[0]), float64s(t, l.Forward(ctx, x)))
				}
			}
		}
	})
}

func TestGradientsOfRecurrentLayersEqualCentralDifferences(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(6)
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		l := kind.layer(env, 2, 3, nn.Stacked(2), nn.Bidirectional())
		x := random.Normal(env, dtype.Float64, 0, 1, 3, 4, 2)
		lengths := nd.FromSlice([]int64{4, 2, 3})
		operands := []*nd.Array{x}
		for range kind.states {
			operands = append(operands, random.Normal(env, dtype.Float64, 0, 1, 4, 3, 3))
		}
		factors := []*nd.Array{random.Normal(env, dtype.Float64, 0, 1, 3, 4, 6)}
		for range kind.states {
			factors = append(factors, random.Normal(env, dtype.Float64, 0, 1, 4, 3, 3))
		}
		loss := func(c *nn.Ctx, in []*nd.Array) *nd.Array {
			sum := nd.Zeros[float64]()
			for i, a := range l.run(c, in[0], lengths, slices.Clone(in[1:])) {
				sum = sum.Add(a.Mul(factors[i]).Sum())
			}
			return sum
		}
		tape := autograd.NewTape()
		watched := []*nd.Array{}
		for _, a := range operands {
			watched = append(watched, tape.Watch(a))
		}
		parameters := nn.Params(l)
		gradients := tape.Gradient(loss(nn.Train(tape, env.Generator()), watched), append(watched, parameters...)...)
		for i, a := range append(operands, parameters...) {
			// Parameters are float32: what they really move by is told by their values.
			step := 1e-5
			if a.DType() == dtype.Float32 {
				step = 1.0 / 1024
			}
			flat, slopes := a.Reshape(-1), float64s(t, gradients[i])
			for _, element := range []int{0, len(slopes) / 2, len(slopes) - 1} {
				was := float64s(t, flat)[element]
				at := func(v float64) (where, value float64) {
					nd.CopyInto(flat.Index(element), nd.FullIn(env, a.DType(), v))
					return float64s(t, flat)[element], float64s(t, loss(nn.Infer(), operands))[0]
				}
				above, high := at(was + step)
				below, low := at(was - step)
				at(was)
				require.InDelta(t, (high-low)/(above-below), slopes[element], 2e-4, "array %d element %d", i, element)
			}
		}
	})
}

func TestStatesOfRecurrentLayersCarrySequencesOn(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(7)
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		l := kind.layer(env, 3, 4, nn.Stacked(2))
		x := random.Normal(env, dtype.Float32, 0, 1, 2, 9, 3)
		whole := l.run(nn.Infer(), x, nil, make([]*nd.Array, kind.states))
		first := l.run(nn.Infer(), x.Index(nd.Whole, nd.Span(0, 5)), nil, make([]*nd.Array, kind.states))
		second := l.run(nn.Infer(), x.Index(nd.Whole, nd.Span(5, 9)), nil, first[1:])
		require.Equal(t, float64s(t, whole[0]), float64s(t, nd.Concat(1, first[0], second[0])))
		for i := range kind.states {
			require.Equal(t, float64s(t, whole[1+i]), float64s(t, second[1+i]))
		}
	})
}

// TestWhatIsBehindALengthIsNotLookedAt also puts NaN there.
func TestWhatIsBehindALengthIsNotLookedAt(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(8)
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		l := kind.layer(env, 3, 4, nn.Bidirectional())
		x := random.Normal(env, dtype.Float32, 0, 1, 1, 4, 3)
		alone := l.run(nn.Infer(), x, nil, make([]*nd.Array, kind.states))
		padded := nd.Concat(1, x, nd.Full[float32](float32(math.NaN()), 1, 3, 3))
		for _, c := range []*nn.Ctx{nn.Infer(), nn.Train(nil, env.Generator())} {
			got := l.run(c, padded, nd.FromSlice([]int64{4}), make([]*nd.Array, kind.states))
			require.Equal(t, float64s(t, alone[0].Pad(0, []int{0, 0, 0}, []int{0, 3, 0})), float64s(t, got[0]))
			for i := range kind.states {
				require.Equal(t, float64s(t, alone[1+i]), float64s(t, got[1+i]))
			}
		}
	})
}

func TestALengthOutOfRangeIsAnErrorOfTheResults(t *testing.T) {
	e, err := engine.New("perdevice") // of its own, which remembers the errors
	require.NoError(t, err)
	env := ops.NewEnv(e)
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		l := kind.layer(env, 1, 2)
		for _, length := range []int64{-1, 4} {
			lengths := nd.OnesIn(env, dtype.Int64, 2)
			nd.CopyInto(lengths.Index(1), nd.FullIn(env, dtype.Int64, float64(length)))
			for _, a := range l.run(nn.Infer(), nd.OnesIn(env, dtype.Float32, 2, 3, 1), lengths, make([]*nd.Array, kind.states)) {
				err := a.Wait(context.Background())
				require.ErrorIs(t, err, fault.ErrIndex)
				require.ErrorContains(t, err, fmt.Sprintf("the length of sequence 1 is %d (legal: from 0 to 3)", length))
			}
		}
	})
}

// TestCellsAreOneTimeOfTheirLayers compares bits.
func TestCellsAreOneTimeOfTheirLayers(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(9)
	x := random.Normal(env, dtype.Float32, 0, 1, 5, 3, 2)
	stateOf := func(l nn.Layer) map[string]*nd.Array {
		state := map[string]*nd.Array{}
		for name, p := range l.Named() {
			state[name+"_l0"] = p
		}
		return state
	}
	lstm, lstmCell := nn.NewLSTM(env, 2, 4), nn.NewLSTMCell(env, 2, 4)
	require.NoError(t, nn.SetState(lstm, stateOf(lstmCell)))
	y, lastH, lastCells := lstm.Run(nn.Infer(), x, nil, nil, nil)
	var h, cells *nd.Array
	for time := range 3 {
		h, cells = lstmCell.Step(nn.Infer(), x.Index(nd.Whole, time), h, cells)
		require.Equal(t, float64s(t, y.Index(nd.Whole, time)), float64s(t, h))
		if time == 0 {
			require.Equal(t, float64s(t, h), float64s(t, lstmCell.Forward(nn.Infer(), x.Index(nd.Whole, time))))
		}
	}
	require.Equal(t, float64s(t, lastH), float64s(t, h))
	require.Equal(t, float64s(t, lastCells), float64s(t, cells))

	gru, gruCell := nn.NewGRU(env, 2, 4, nn.Unbiased()), nn.NewGRUCell(env, nn.Unknown, 4, nn.Unbiased())
	nn.Build(gruCell, nd.Zeros[float32](0, 2))
	require.NoError(t, nn.SetState(gru, stateOf(gruCell)))
	y, last := gru.Run(nn.Infer(), x, nil, nil)
	h = nil
	for time := range 3 {
		h = gruCell.Step(nn.Infer(), x.Index(nd.Whole, time), h)
		require.Equal(t, float64s(t, y.Index(nd.Whole, time)), float64s(t, h))
	}
	require.Equal(t, float64s(t, last), float64s(t, h))
}

func TestRecurrentLayersNameTheirParametersAsPyTorchDoes(t *testing.T) {
	l := nn.NewLSTM(nd.DefaultEnv(), 3, 2, nn.Stacked(2), nn.Bidirectional())
	shapes := map[string][]int{}
	for name, p := range l.Named() {
		shapes[name] = p.Shape()
	}
	require.Equal(t, map[string][]int{
		"weight_ih_l0": {8, 3}, "weight_hh_l0": {8, 2}, "bias_ih_l0": {8}, "bias_hh_l0": {8},
		"weight_ih_l0_reverse": {8, 3}, "weight_hh_l0_reverse": {8, 2}, "bias_ih_l0_reverse": {8}, "bias_hh_l0_reverse": {8},
		"weight_ih_l1": {8, 4}, "weight_hh_l1": {8, 2}, "bias_ih_l1": {8}, "bias_hh_l1": {8},
		"weight_ih_l1_reverse": {8, 4}, "weight_hh_l1_reverse": {8, 2}, "bias_ih_l1_reverse": {8}, "bias_hh_l1_reverse": {8},
	}, shapes)
	cell := slices.Sorted(maps.Keys(maps.Collect(nn.NewGRUCell(nd.DefaultEnv(), 3, 2).Named())))
	require.Equal(t, []string{"bias_hh", "bias_ih", "weight_hh", "weight_ih"}, cell)
	require.Len(t, nn.Params(nn.NewGRU(nd.DefaultEnv(), 3, 2, nn.Unbiased())), 2)
}

func TestRecurrentLayersOfUnknownInputsHaveTheBitsOfKnownOnes(t *testing.T) {
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		known := kind.layer(nd.DefaultEnv().WithSeed(3), 4, 3, nn.Stacked(2))
		unknown := kind.layer(nd.DefaultEnv().WithSeed(3), nn.Unknown, 3, nn.Stacked(2))
		require.ErrorIs(t, nd.Try(func() { nn.Params(unknown) }), fault.ErrMisuse)
		nn.Build(unknown, nd.Zeros[float32](0, 1, 4))
		want := nn.State(known)
		for name, a := range nn.State(unknown) {
			require.Equal(t, float64s(t, want[name]), float64s(t, a))
		}
		require.Len(t, want, 8)
	})
}

func TestInitialiseDrawsEachGateOfRecurrentLayers(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(3)
	calls := [][]int{}
	l := nn.NewSequential(nn.NewLSTM(env, 3, 2))
	nn.Initialise(l, env, func(env *nd.Env, inputs, outputs int, shape ...int) *nd.Array {
		calls = append(calls, append([]int{inputs, outputs}, shape...))
		return nd.FullIn(env, dtype.Float32, float64(len(calls)), shape...)
	})
	require.Len(t, calls, 8)
	require.Equal(t, []int{3, 2, 2, 3}, calls[0])
	require.Equal(t, []int{2, 2, 2, 2}, calls[7])
	state := nn.State(l)
	require.Equal(t, []float64{5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8}, float64s(t, state["0.weight_hh_l0"]))
	require.Equal(t, make([]float64, 8), float64s(t, state["0.bias_hh_l0"]))
}

func TestDropBetweenDropsOutputsOfAllLayersButTheLastInTraining(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(3)
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		x := random.Normal(env, dtype.Float32, 0, 1, 2, 3, 2)
		one, stacked := kind.layer(env, 2, 3, nn.DropBetween(1)), kind.layer(env, 2, 3, nn.Stacked(2), nn.DropBetween(1))
		train := nn.Train(nil, env.Generator())
		require.Equal(t, float64s(t, one.Forward(nn.Infer(), x)), float64s(t, one.Forward(train, x)))
		dropped := stacked.Forward(train, x)
		require.NotEqual(t, float64s(t, stacked.Forward(nn.Infer(), x)), float64s(t, dropped))
		require.Equal(t, float64s(t, stacked.Forward(train, x.MulScalar(3))), float64s(t, dropped)) // nothing of the input is left
	})
}

func TestRecurrentLayersComputeInWiderAndNarrowerFloats(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(4)
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		l := kind.layer(env, 3, 4, nn.Stacked(2))
		x := random.Normal(env, dtype.Float32, 0, 1, 2, 5, 3)
		want := float64s(t, l.Forward(nn.Infer(), x))
		wide := l.Forward(nn.Infer(), x.Cast(dtype.Float64))
		require.Equal(t, dtype.Float64, wide.DType())
		require.InDeltaSlice(t, want, float64s(t, wide), 1e-5)
		for _, half := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			require.InDeltaSlice(t, want, float64s(t, l.Forward(nn.Infer(), x.Cast(half))), 0.05)
		}
	})
}

func TestRecurrentLayersReadViews(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(4)
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		l := kind.layer(env, 3, 4)
		x := random.Normal(env, dtype.Float32, 0, 1, 3, 5, 2).Transpose(2, 1, 0)
		lengths := nd.FromSlice([]int64{5, 0, 2, 0}).Index("::2")
		h := random.Normal(env, dtype.Float32, 0, 1, 4, 2, 1).Transpose(2, 1, 0)
		states := slices.Repeat([]*nd.Array{h}, kind.states)
		got := l.run(nn.Infer(), x, lengths, slices.Clone(states))
		copies := slices.Repeat([]*nd.Array{h.Copy()}, kind.states)
		for i, want := range l.run(nn.Infer(), x.Copy(), lengths.Copy(), copies) {
			require.Equal(t, float64s(t, want), float64s(t, got[i]))
		}
	})
}

// TestRecurrentLayersHaveTheSameBitsForAllNumbersOfWorkers has blocks of sequences that do not divide among them.
func TestRecurrentLayersHaveTheSameBitsForAllNumbersOfWorkers(t *testing.T) {
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		var want [][]float64
		for _, threads := range []int{1, 2, 3} {
			pool := parallel.New(threads)
			t.Cleanup(pool.Close)
			e, err := engine.New("perdevice", engine.WithPool(pool))
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, e.Close(context.Background())) })
			env := ops.NewEnv(e).WithSeed(4)
			l := kind.layer(env, 20, 33, nn.Bidirectional())
			x := random.Normal(env, dtype.Float32, 0, 1, 37, 6, 20)
			tape := autograd.NewTape()
			watched := tape.Watch(x)
			y := l.Forward(nn.Train(tape, env.Generator()), watched)
			got := [][]float64{float64s(t, y)}
			for _, g := range tape.Gradient(y.Square().Sum(), append(nn.Params(l), watched)...) {
				got = append(got, float64s(t, g))
			}
			if want == nil {
				want = got
			}
			require.Equal(t, want, got)
		}
	})
}

// TestCapturedRecurrentLayersGiveTheBitsOfTheirCalls captures inference, and steps of training.
func TestCapturedRecurrentLayersGiveTheBitsOfTheirCalls(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(4)
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		model := nn.NewSequential(kind.layer(env, 3, 4, nn.Stacked(2), nn.Bidirectional()), nn.NewDense(env, 8, 1))
		pass := func(env *nd.Env, in []*nd.Array) []*nd.Array {
			tape := autograd.NewTape()
			y := model.Forward(nn.Train(tape, env.Generator()).In(env), in[0])
			return append(tape.Gradient(y.Square().Mean(), nn.Params(model)...), y)
		}
		captured := nd.NewCaptured(env, pass)
		for range 3 {
			x := random.Normal(env, dtype.Float32, 0, 1, 2, 5, 3)
			got := captured.Call(x)
			for i, want := range pass(env, []*nd.Array{x}) {
				require.Equal(t, float64s(t, want), float64s(t, got[i]))
			}
		}
	})
}

// TestRecurrentLayersGiveBackWhatNobodySees counts bytes without the collector: of inference the results alone are new, of training the
// gradients of the parameters besides.
func TestRecurrentLayersGiveBackWhatNobodySees(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	env := nd.DefaultEnv().WithSeed(1)
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		l := kind.layer(env, 64, 64, nn.Stacked(3), nn.Bidirectional())
		model := nn.NewSequential(l.Weighted, nn.NewDense(env, 128, 64), l.Weighted)
		x := random.Normal(env, dtype.Float32, 0, 1, 16, 100, 64)
		parameters := int64(0)
		for _, p := range nn.Params(model) {
			parameters += int64(p.Count() * 4)
		}
		size := int64(16 * 100 * 128 * 4)
		for step := range 4 {
			before := inUse(t)
			y := model.Forward(nn.Infer(), x)
			require.LessOrEqual(t, inUse(t)-before, size+size/4)
			tape := autograd.NewTape()
			gradients := tape.Gradient(model.Forward(nn.Train(tape, env.Generator()), x).Sum(), nn.Params(model)...)
			require.LessOrEqual(t, inUse(t)-before, 2*size+size/4+2*parameters, "step %d", step)
			y.Release()
			for _, g := range gradients {
				g.Release()
			}
		}
	})
}

// TestCheckpointedRecurrentLayersHaveTheSameGradients computes the layers again in the backward pass.
func TestCheckpointedRecurrentLayersHaveTheSameGradients(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(2)
	eachRecurrent(t, func(t *testing.T, kind recurrentKind) {
		l := kind.layer(env, 3, 4, nn.Stacked(2), nn.DropBetween(0.5))
		x := random.Normal(env, dtype.Float32, 0, 1, 2, 5, 3)
		var want [][]float64
		for _, again := range []bool{false, true} {
			tape := autograd.NewTape()
			inputs := []*nd.Array{tape.Watch(x.In(env.WithSeed(7)))}
			pass := func(in []*nd.Array) []*nd.Array { return []*nd.Array{l.Forward(&nn.Ctx{Train: true}, in[0])} }
			var results []*nd.Array
			if again {
				results = autograd.Checkpoint(pass, inputs...)
			} else {
				results = pass(inputs)
			}
			got := [][]float64{float64s(t, results[0]), float64s(t, tape.Gradient(results[0].Square().Sum(), inputs[0])[0])}
			if want == nil {
				want = got
			}
			require.Equal(t, want, got)
		}
	})
}

func TestSummariesCountRecurrentLayers(t *testing.T) {
	env := nd.DefaultEnv()
	model := nn.NewSequential(nn.NewEmbedding(env, 10, 3), nn.NewGRU(env, 3, 2, nn.Bidirectional()), nn.NewLSTM(env, 4, 2))
	s := nn.Summarise(model, nd.Zeros[int64](5, 7))
	require.Equal(t, []string{"Embedding", "GRU", "LSTM"}, []string{s.Layers[0].Kind, s.Layers[1].Kind, s.Layers[2].Kind})
	require.Equal(t, []int{5, 7, 4}, s.Layers[1].Output)
	require.Equal(t, 2*(6*3+6*2+6+6), s.Layers[1].Parameters)
	require.Equal(t, 8*4+8*2+8+8, s.Layers[2].Parameters)
}

func TestMistakesWithRecurrentLayers(t *testing.T) {
	env := nd.DefaultEnv()
	l, g := nn.NewLSTM(env, 3, 2), nn.NewGRU(env, 3, 2, nn.Stacked(2))
	cell := nn.NewLSTMCell(env, 3, 2)
	x := nd.Ones[float32](4, 5, 3)
	for want, call := range map[string]func(){
		"NewLSTM: the size 0 is too small":                                 func() { nn.NewLSTM(env, 3, 0) },
		"the size -1 is too small":                                         func() { nn.NewGRU(env, -1, 2) },
		"NewRNN: 0 layers are Stacked (legal: from 1 to 65536)":            func() { nn.NewRNN(env, 1, 2, nn.Stacked(0)) },
		"NewGRU: 1099511627776 layers are Stacked":                         func() { nn.NewGRU(env, 1, 1, nn.Stacked(1<<40)) },
		"NewLSTM: 65537 layers are Stacked":                                func() { nn.NewLSTM(env, nn.Unknown, 1, nn.Stacked(1<<16+1)) },
		"NewLSTM: the Env is nil":                                          func() { nn.NewLSTM(nil, 3, 2) },
		"option 1 is nil":                                                  func() { nn.NewLSTM(env, 3, 2, nn.Bidirectional(), nil) },
		"the layer has no Rectified":                                       func() { nn.NewGRU(env, 3, 2, nn.Rectified()) },
		"NewGRU: the probability of DropBetween is 2 (legal: from 0 to 1)": func() { nn.NewGRU(env, 3, 2, nn.DropBetween(2)) },
		"a cell has one layer and one direction":                           func() { nn.NewGRUCell(env, 3, 2, nn.Stacked(2)) },
		"LSTM.Forward: x has shape (4,3), want (samples,times,features)":   func() { l.Forward(nn.Infer(), nd.Ones[float32](4, 3)) },
		"GRU.Forward: x has shape (4,5,2), want (samples,times,3)":         func() { g.Forward(nn.Infer(), nd.Ones[float32](4, 5, 2)) },
		"LSTM.Forward: the context is nil":                                 func() { l.Forward(nil, x) },
		"LSTM.Run: the array is nil":                                       func() { l.Run(nn.Infer(), nil, nil, nil, nil) },
		"the hidden states have shape (4,2), want (1,4,2)":                 func() { l.Run(nn.Infer(), x, nil, nd.Ones[float32](4, 2), nil) },
		"the cell states have shape (1,4,3), want (1,4,2)":                 func() { l.Run(nn.Infer(), x, nil, nil, nd.Ones[float32](1, 4, 3)) },
		"GRU.Run: the hidden states have shape (1,4,2), want (2,4,2)":      func() { g.Run(nn.Infer(), x, nil, nd.Ones[float32](1, 4, 2)) },
		"lengths have shape (5,), want (4,)":                               func() { l.Run(nn.Infer(), x, nd.Ones[int64](5), nil, nil) },
		"lengths are float32, want int64":                                  func() { l.Run(nn.Infer(), x, nd.Ones[float32](4), nil, nil) },
		"LSTMCell.Step: x has shape (4,5,3), want (samples,features)":      func() { cell.Step(nn.Infer(), x, nil, nil) },
		"LSTMCell.Step: x has shape (4,2), want (samples,3)":               func() { cell.Step(nn.Infer(), nd.Ones[float32](4, 2), nil, nil) },
		"the hidden states have shape (2,), want (4,2)": func() {
			cell.Step(nn.Infer(), nd.Ones[float32](4, 3), nd.Ones[float32](2), nil)
		},
		"LSTMCell.Forward: the array is nil":                    func() { cell.Forward(nn.Infer(), nil) },
		"LSTMCell.Step: the context is nil":                     func() { cell.Step(nil, nd.Ones[float32](4, 3), nil, nil) },
		"NewLSTMCell: the probability of DropBetween is NaN":    func() { nn.NewLSTMCell(env, 3, 2, nn.DropBetween(math.NaN())) },
		"GRU.Run: the number of parameters follows from axis 2": func() { nn.NewGRU(env, nn.Unknown, 2).Run(nn.Infer(), nd.Ones[float32](4, 5, 0), nil, nil) },
		"GRU.Run: the hidden states are int64, want floats":     func() { g.Run(nn.Infer(), x, nil, nd.Ones[int64](2, 4, 2)) },
	} {
		require.ErrorContains(t, nd.Try(call), want)
	}
}
