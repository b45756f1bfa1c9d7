package ops

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/resource"
)

// draw is a call of an operator that draws, with a ticket of its own.
type draw struct {
	ticket resource.Ticket
	params any
	in     []array
}

// at returns env with a generator whose next ticket is that of d.
func (d draw) at(env *Env) *Env {
	g := resource.NewGenerator(0)
	g.Restore(resource.State{Key: d.ticket.Key, Sequence: d.ticket.Sequence})
	return env.WithGenerator(g)
}

// operands are those of d, in an Env with its ticket.
func (d draw) operands(env *Env) (all []*Tensor) {
	env = d.at(env)
	for _, a := range d.in {
		all = append(all, a.tensor(env))
	}
	return all
}

// call returns the result of op.
func (d draw) call(env *Env, op *Operator) *Tensor {
	if len(d.in) == 0 {
		return InvokeIn(d.at(env), op, d.params)[0]
	}
	return Invoke(op, d.params, d.operands(env)...)[0]
}

// spread is a float array of the given shape with numbers from low to high.
func spread(d dtype.DType, low, high float64, shape ...int) array {
	a := newArray(d, shape)
	for i := range a.values {
		a.values[i] = rounded(d, low+(high-low)*float64(i*7919%len(a.values))/float64(len(a.values)))
	}
	return a
}

// draws are calls without operands, each with a ticket of its own.
func draws[P any](params ...P) (all []draw) {
	for i, p := range params {
		all = append(all, draw{resource.Ticket{Key: 1<<64 - 5 - uint64(i), Sequence: 1 << 40}, p, nil})
	}
	return all
}

// random are calls of the operators that draw: their references compute the bits that package philox documents.
var random = map[*Operator][]draw{
	Uniform: {
		{resource.Ticket{Key: 1<<64 - 5, Sequence: 1 << 40}, UniformParams{Shape: []int{7, 333}, DType: dtype.Float32, Low: -1, High: 3}, nil},
		{resource.Ticket{Key: 9, Sequence: 1<<64 - 1}, UniformParams{Shape: []int{7, 333}, DType: dtype.Float64, Low: -1, High: 3}, nil},
		{resource.Ticket{}, UniformParams{Shape: []int{300, 401}, DType: dtype.Float32, High: 1}, nil},
	},
	Normal: {
		{resource.Ticket{Key: 3, Sequence: 1 << 40}, NormalParams{Shape: []int{7, 333}, DType: dtype.Float32, Mean: 5, Deviation: 2}, nil},
		{resource.Ticket{Key: 1<<64 - 5}, NormalParams{Shape: []int{7, 333}, DType: dtype.Float64, Deviation: 1}, nil},
		{resource.Ticket{}, NormalParams{Shape: []int{9}, DType: dtype.Float64, Mean: 2}, nil},
	},
	Permutation: {
		{resource.Ticket{Key: 1<<64 - 5, Sequence: 1 << 40}, PermutationParams{Count: 5000}, nil},
		{resource.Ticket{Key: 1}, PermutationParams{Count: 2}, nil},
	},

	Exponential: draws(ExponentialParams{[]int{7, 333}, dtype.Float32, 3}, ExponentialParams{[]int{3001}, dtype.Float64, 1e-3}),
	Gumbel:      draws(LocationScaleParams{[]int{7, 333}, dtype.Float32, -3, 2}, LocationScaleParams{[]int{3001}, dtype.Float64, 0, 1}),
	Laplace:     draws(LocationScaleParams{[]int{7, 333}, dtype.Float32, -3, 2}, LocationScaleParams{[]int{3001}, dtype.Float64, 0, 1}),
	Logistic:    draws(LocationScaleParams{[]int{7, 333}, dtype.Float32, -3, 2}, LocationScaleParams{[]int{3001}, dtype.Float64, 0, 1}),
	Cauchy:      draws(LocationScaleParams{[]int{7, 333}, dtype.Float32, -3, 2}, LocationScaleParams{[]int{3001}, dtype.Float64, 0, 1}),
	LogNormal:   draws(LogNormalParams{[]int{7, 333}, dtype.Float32, 1, 2}, LogNormalParams{[]int{3001}, dtype.Float64, 0, 0.1}),
	TruncatedNormal: draws(
		TruncatedNormalParams{[]int{7, 333}, dtype.Float32, 1, 2, -1, 9}, TruncatedNormalParams{[]int{3001}, dtype.Float64, 0, 1, 6, math.Inf(1)},
		TruncatedNormalParams{[]int{3001}, dtype.Float64, 0, 1, math.Inf(-1), -0.01}, TruncatedNormalParams{[]int{3001}, dtype.Float64, 0, 1, -3.1, -3},
		TruncatedNormalParams{[]int{3001}, dtype.Float64, 0, 1, -0.9, 1.2}, TruncatedNormalParams{[]int{3001}, dtype.Float64, 3, 1, math.Inf(-1), 3.5},
	),
	Gamma: draws(
		ConcentrationScaleParams{[]int{7, 333}, dtype.Float32, 3, 2}, ConcentrationScaleParams{[]int{3001}, dtype.Float64, 0.1, 1},
		ConcentrationScaleParams{[]int{3001}, dtype.Float64, 1, 1}, ConcentrationScaleParams{[]int{3001}, dtype.Float64, 900, 1},
	),
	Weibull:   draws(ConcentrationScaleParams{[]int{7, 333}, dtype.Float32, 3, 2}, ConcentrationScaleParams{[]int{3001}, dtype.Float64, 0.3, 1}),
	ChiSquare: draws(FreedomParams{[]int{7, 333}, dtype.Float32, 1}, FreedomParams{[]int{3001}, dtype.Float64, 7}),
	StudentT:  draws(FreedomParams{[]int{7, 333}, dtype.Float32, 1}, FreedomParams{[]int{3001}, dtype.Float64, 7}),
	Beta:      draws(BetaParams{[]int{7, 333}, dtype.Float32, 2, 3}, BetaParams{[]int{3001}, dtype.Float64, 0.1, 0.3}, BetaParams{[]int{3001}, dtype.Float64, 5, 0.5}),
	Dirichlet: {
		{resource.Ticket{Key: 7, Sequence: 1 << 40}, DirichletParams{[]int{37}}, []array{spread(dtype.Float64, 1, 9, 7, 5)}},
		{resource.Ticket{Key: 7}, DirichletParams{[]int{}}, []array{spread(dtype.Float32, 1, 9, 9, 120)}},
	},
	MultivariateNormal: {
		{resource.Ticket{Key: 7, Sequence: 1 << 40}, MultivariateNormalParams{[]int{37, 11}}, []array{spread(dtype.Float64, -9, 9, 5), spread(dtype.Float64, -2, 2, 5, 7)}},
		{resource.Ticket{Key: 7}, MultivariateNormalParams{[]int{3}}, []array{spread(dtype.Float32, -9, 9, 700), spread(dtype.Float32, -2, 2, 700, 1)}},
	},

	Randint: {
		{resource.Ticket{Key: 1<<64 - 5, Sequence: 1 << 40}, RandintParams{Shape: []int{7, 333}, DType: dtype.Uint32, High: 3 << 30}, nil},
		{resource.Ticket{Key: 9}, RandintParams{Shape: []int{7, 333}, DType: dtype.Int64, Low: -7, High: 1 << 45}, nil},
		{resource.Ticket{}, RandintParams{Shape: []int{30, 401}, DType: dtype.Int8, Low: -128, High: 127}, nil},
	},
	Bernoulli:   {{resource.Ticket{Key: 1<<64 - 5, Sequence: 1 << 40}, BernoulliParams{Shape: []int{7, 333}, Probability: 0.7}, nil}},
	BernoulliOf: {{resource.Ticket{Key: 7, Sequence: 1 << 40}, nil, []array{spread(dtype.Float32, 0, 1, 70, 31)}}},
	Poisson: {
		{resource.Ticket{Key: 1<<64 - 5, Sequence: 1 << 40}, PoissonParams{Shape: []int{7, 333}, Rate: 9.9}, nil},
		{resource.Ticket{Key: 5}, PoissonParams{Shape: []int{7, 333}, Rate: 12345}, nil},
	},
	PoissonOf: {{resource.Ticket{Key: 7, Sequence: 1 << 40}, nil, []array{spread(dtype.Float64, 0, 30, 70, 31)}}},
	Binomial: {
		{resource.Ticket{Key: 1<<64 - 5, Sequence: 1 << 40}, BinomialParams{Shape: []int{7, 333}, Trials: 9, Probability: 0.9}, nil},
		{resource.Ticket{Key: 5}, BinomialParams{Shape: []int{7, 333}, Trials: 5000, Probability: 0.4}, nil},
	},
	BinomialOf: {{resource.Ticket{Key: 7, Sequence: 1 << 40}, nil, []array{integers(0, 90, 70, 1), spread(dtype.Float64, 0, 1, 31)}}},
	Geometric:  {{resource.Ticket{Key: 7, Sequence: 1 << 40}, GeometricParams{Shape: []int{7, 333}, Probability: 0.01}, nil}},
	NegativeBinomial: {
		{resource.Ticket{Key: 7, Sequence: 1 << 40}, NegativeBinomialParams{Shape: []int{7, 333}, Successes: 0.7, Probability: 0.05}, nil},
		{resource.Ticket{Key: 7, Sequence: 1}, NegativeBinomialParams{Shape: []int{7, 333}, Successes: 50, Probability: 0.4}, nil},
	},
	Categorical: {
		{resource.Ticket{Key: 7, Sequence: 1 << 40}, CategoricalParams{Shape: []int{333}}, []array{spread(dtype.Float64, 0, 9, 7, 50)}},
		{resource.Ticket{Key: 8}, CategoricalParams{Shape: []int{}, Logarithmic: true}, []array{spread(dtype.Float32, -9, 9, 777, 5)}},
	},
	Multinomial: {{resource.Ticket{Key: 7, Sequence: 1 << 40}, MultinomialParams{Shape: []int{20}, Trials: 1000}, []array{spread(dtype.Float64, 0, 9, 7, 50)}}},
	Choose: {
		{resource.Ticket{Key: 7, Sequence: 1 << 40}, ChooseParams{Population: 5000, Count: 3000}, nil},
		{resource.Ticket{Key: 7, Sequence: 1 << 40}, ChooseParams{Population: 5000, Count: 300}, nil},
	},
	ChooseWeighted: {{resource.Ticket{Key: 7, Sequence: 1 << 40}, ChooseWeightedParams{Count: 6}, []array{spread(dtype.Float32, 0.1, 9, 7, 3001)}}},
	Dropout:        {{resource.Ticket{Key: 7, Sequence: 1 << 40}, DropoutParams{0.4}, []array{spread(dtype.Float32, -3, 9, 70, 301)}}},
}

// integers is spread of int64.
func integers(low, high float64, shape ...int) array {
	a := spread(dtype.Float64, low, high, shape...)
	a.dtype = dtype.Int64
	for i, v := range a.values {
		a.values[i] = math.Floor(v)
	}
	return a
}

func TestEveryOperatorThatDrawsIsTried(t *testing.T) {
	for _, op := range All() {
		require.Equal(t, op.Draws, len(random[op]) > 0, op.Name)
	}
}

func TestRandomNumbersAreTheDocumentedFunctionOfKeyAndElement(t *testing.T) {
	env := newEnv(t, "perdevice")
	for op, all := range random {
		for _, d := range all {
			row := operators[op.Name]
			requireClose(t, row.drawn(d.in, d.params, d.ticket)[0], d.call(env, op), row.ulps)
		}
	}
}

// TestRandomBitsDoNotDependOnEnginesWorkersOrDevices also writes them to strided memory.
func TestRandomBitsDoNotDependOnEnginesWorkersOrDevices(t *testing.T) {
	var envs []*Env
	for _, kind := range []string{"naive", "pooled", "perdevice", "shuffled"} {
		for _, workers := range []int{1, 2, 8} {
			if testing.Short() && workers == 1 {
				continue
			}
			env := newEnv(t, kind, poolOf(t, workers))
			envs = append(envs, env)
			if workers == 2 {
				envs = append(envs, simOf(env))
			}
		}
	}
	for op, all := range random {
		for _, d := range all {
			first := d.call(envs[0], op)
			want := mustBytes(t, first)
			for i, env := range envs {
				require.Equal(t, want, mustBytes(t, d.call(env, op)), "%s in Env %d", op.Name, i)
				strided := newArray(first.DType(), first.Shape()).placed(env, backward)
				operands := d.operands(env)
				if len(operands) == 0 {
					strided = strided.In(d.at(env))
				}
				InvokeInto(op, d.params, []*Tensor{strided}, operands...)
				require.Equal(t, want, mustBytes(t, strided), "%s in Env %d", op.Name, i)
			}
		}
	}
}

// TestGoroutinesWithGeneratorsOfTheirOwnRepeatTheirBits lets them share engine and workers.
func TestGoroutinesWithGeneratorsOfTheirOwnRepeatTheirBits(t *testing.T) {
	const goroutines, calls = 2, 20
	run := func(env *Env) (all [goroutines][][]byte) {
		results := [goroutines][]*Tensor{}
		var group sync.WaitGroup
		for i, g := range resource.NewGenerator(11).SplitN(goroutines) {
			group.Go(func() {
				own := env.WithGenerator(g)
				for range calls {
					results[i] = append(results[i], InvokeIn(own, Normal, NormalParams{Shape: []int{700}, DType: dtype.Float32, Deviation: 1})[0])
				}
			})
		}
		group.Wait()
		for i := range results {
			for _, x := range results[i] {
				all[i] = append(all[i], mustBytes(t, x))
			}
		}
		return all
	}
	want := run(newEnv(t, "naive"))
	require.NotEqual(t, want[0], want[1])
	for _, kind := range []string{"pooled", "perdevice", "shuffled"} {
		for range 5 {
			require.Equal(t, want, run(newEnv(t, kind)), kind)
		}
	}
}

// TestARestoredGeneratorRepeatsARun saves where a run stands, as a checkpoint does.
func TestARestoredGeneratorRepeatsARun(t *testing.T) {
	env := newEnv(t, "perdevice").WithSeed(1)
	run := func(env *Env) (all [][]byte) {
		for range 3 {
			own := env.WithGenerator(env.Generator().Split())
			for _, place := range []*Env{env, own} {
				all = append(all, mustBytes(t, InvokeIn(place, Uniform, UniformParams{Shape: []int{64}, DType: dtype.Float32, High: 1})[0]))
			}
		}
		return all
	}
	run(env)
	saved, err := env.Generator().MarshalBinary()
	require.NoError(t, err)
	want := run(env)
	elsewhere := newEnv(t, "naive")
	require.NoError(t, elsewhere.Generator().UnmarshalBinary(saved))
	require.Equal(t, want, run(elsewhere))
}

// TestTheTicketOfARecordRepeatsItsNumbers is what recomputing a part of a tape takes.
func TestTheTicketOfARecordRepeatsItsNumbers(t *testing.T) {
	recorder := &tape{}
	env := newEnv(t, "perdevice").WithSeed(9)
	for op, all := range random {
		if op.Gradient == nil || len(op.Inputs) == 0 {
			continue
		}
		d := all[0]
		env.Generator().Next()
		operands := []*Tensor{}
		for _, a := range d.in {
			operands = append(operands, recorder.watch(a.tensor(env)))
		}
		want := mustBytes(t, Invoke(op, d.params, operands...)[0])
		record := recorder.records[len(recorder.records)-1]
		require.Same(t, op, record.Operator)
		again := env.WithGenerator(record.Ticket.Generator())
		operands = operands[:0]
		for _, a := range d.in {
			operands = append(operands, a.tensor(again))
		}
		require.Equal(t, want, mustBytes(t, Invoke(op, record.Params, operands...)[0]), op.Name)
	}
	require.NotEmpty(t, recorder.records)
}

func TestEachCallTakesOneTicketOfItsGenerator(t *testing.T) {
	env := newEnv(t, "perdevice").WithSeed(1)
	draw := func() []byte {
		return mustBytes(t, InvokeIn(env, Uniform, UniformParams{Shape: []int{64}, DType: dtype.Float32, High: 1})[0])
	}
	first, second := draw(), draw()
	require.NotEqual(t, first, second)
	require.EqualValues(t, 2, env.Generator().State().Sequence)
	env = env.WithSeed(1)
	require.Equal(t, first, draw())
	require.Equal(t, second, draw())
}
