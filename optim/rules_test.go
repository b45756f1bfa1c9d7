package optim_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/optim"
)

// chosen are the settings of a rule as the reference sees them, decays and factors those of each of two parameters.
type chosen struct {
	momentum, beta1, beta2, smoothing, epsilon float64
	nesterov                                   bool
	decays, factors                            [2]float64
	rate                                       func(step int) float64 // of steps from 1
}

// choice is a value of one option: what a constructor is given, and what it means.
type choice struct {
	name    string
	options func(params []*nd.Array) []optim.Option
	set     func(c *chosen)
}

func none(*chosen) {}

func options(o ...optim.Option) func([]*nd.Array) []optim.Option {
	return func([]*nd.Array) []optim.Option { return o }
}

// The choices of the options that all rules have.
var (
	decays = []choice{
		{"", options(), none},
		{"decay", options(optim.WeightDecay(0.1)), func(c *chosen) { c.decays = [2]float64{0.1, 0.1} }},
		{"decay of one", func(p []*nd.Array) []optim.Option { return []optim.Option{optim.WeightDecay(0.2, p[1])} }, func(c *chosen) { c.decays[1] = 0.2 }},
		{"decay but of one", func(p []*nd.Array) []optim.Option {
			return []optim.Option{optim.WeightDecay(0.1), optim.WeightDecay(0, p[0])}
		}, func(c *chosen) { c.decays = [2]float64{0, 0.1} }},
	}
	factors = []choice{
		{"", options(), none},
		{"factor of one", func(p []*nd.Array) []optim.Option { return []optim.Option{optim.RateFactor(0.5, p[1])} }, func(c *chosen) { c.factors[1] = 0.5 }},
		{"factors", func(p []*nd.Array) []optim.Option {
			return []optim.Option{optim.RateFactor(2), optim.RateFactor(3, p[0])}
		}, func(c *chosen) { c.factors = [2]float64{3, 2} }},
	}
	schedules = []choice{
		{"", options(), none},
		{"warm-up and cosine", options(optim.Scheduled(optim.WarmUp(5, optim.Cosine(0.1, 0.01, 9)))), func(c *chosen) {
			c.rate = func(step int) float64 {
				if step <= 5 {
					return 0.1 * float64(step) / 6
				}
				return 0.01 + 0.09*(1+math.Cos(math.Pi*float64(min(step-6, 9))/9))/2
			}
		}},
		{"step decay", options(optim.Scheduled(optim.StepDecay(0.2, 0.5, 3))), func(c *chosen) {
			c.rate = func(step int) float64 { return 0.2 * math.Pow(0.5, float64((step-1)/3)) }
		}},
	}
	momenta = []choice{
		{"", options(), none},
		{"momentum", options(optim.Momentum(0.9)), func(c *chosen) { c.momentum = 0.9 }},
		{"all momentum", options(optim.Momentum(1)), func(c *chosen) { c.momentum = 1 }},
	}
	nesterov = []choice{{"", options(), none}, {"nesterov", options(optim.Nesterov()), func(c *chosen) { c.nesterov = true }}}
	betas    = []choice{
		{"", options(), none},
		{"betas", options(optim.Betas(0.8, 0.95)), func(c *chosen) { c.beta1, c.beta2 = 0.8, 0.95 }},
		{"no first moment", options(optim.Betas(0, 0.9)), func(c *chosen) { c.beta1, c.beta2 = 0, 0.9 }},
	}
	epsilons   = []choice{{"", options(), none}, {"epsilon", options(optim.Epsilon(1e-2)), func(c *chosen) { c.epsilon = 1e-2 }}}
	smoothings = []choice{{"", options(), none}, {"smoothing", options(optim.Smoothing(0.9)), func(c *chosen) { c.smoothing = 0.9 }}}
)

// reference is one element's way through a step of a rule, in plain float64 arithmetic; state is its own.
type reference func(c *chosen, w, slope float64, step int, state *[2]float64, rate, decay float64) float64

// rules are those of the package with their defaults, as the documentation of the constructors tells both.
var rules = map[string]struct {
	construct func(params []*nd.Array, rate float64, options ...optim.Option) *optim.Optimiser
	defaults  chosen
	choices   [][]choice
	want      reference
}{
	"sgd": {optim.NewSGD, chosen{}, [][]choice{momenta, nesterov}, func(c *chosen, w, slope float64, _ int, state *[2]float64, rate, decay float64) float64 {
		slope += decay * w
		state[0] = c.momentum*state[0] + slope
		if c.nesterov {
			return w - rate*(slope+c.momentum*state[0])
		}
		return w - rate*state[0]
	}},
	"adam":  {optim.NewAdam, chosen{beta1: 0.9, beta2: 0.999, epsilon: 1e-8}, [][]choice{betas, epsilons}, referenceAdam},
	"adamw": {optim.NewAdamW, chosen{beta1: 0.9, beta2: 0.999, epsilon: 1e-8, decays: [2]float64{0.01, 0.01}}, [][]choice{betas, epsilons}, referenceAdamW},
	"rmsprop": {optim.NewRMSProp, chosen{smoothing: 0.99, epsilon: 1e-8}, [][]choice{smoothings, epsilons, momenta},
		func(c *chosen, w, slope float64, _ int, state *[2]float64, rate, decay float64) float64 {
			slope += decay * w
			state[0] = c.smoothing*state[0] + (1-c.smoothing)*slope*slope
			state[1] = c.momentum*state[1] + slope/(math.Sqrt(state[0])+c.epsilon)
			return w - rate*state[1]
		}},
}

func referenceAdam(c *chosen, w, slope float64, step int, state *[2]float64, rate, decay float64) float64 {
	slope += decay * w
	state[0] = c.beta1*state[0] + (1-c.beta1)*slope
	state[1] = c.beta2*state[1] + (1-c.beta2)*slope*slope
	mean, square := state[0]/(1-math.Pow(c.beta1, float64(step))), state[1]/(1-math.Pow(c.beta2, float64(step)))
	return w - rate*mean/(math.Sqrt(square)+c.epsilon)
}

func referenceAdamW(c *chosen, w, slope float64, step int, state *[2]float64, rate, decay float64) float64 {
	return referenceAdam(c, w-rate*decay*w, slope, step, state, rate, 0)
}

// combinations are all ways to take one choice of each list.
func combinations(lists [][]choice) [][]choice {
	all := [][]choice{nil}
	for _, list := range lists {
		var longer [][]choice
		for _, some := range all {
			for _, c := range list {
				longer = append(longer, append(some[:len(some):len(some)], c))
			}
		}
		all = longer
	}
	return all
}

// TestStepsFollowTheFormulas takes each rule with all combinations of its options, short tests with some, through steps, each compared with
// the reference.
func TestStepsFollowTheFormulas(t *testing.T) {
	for name, rule := range rules {
		for i, some := range combinations(append(rule.choices, decays, factors, schedules)) {
			if testing.Short() && i%7 != 0 {
				continue
			}
			setting, names := rule.defaults, []string{name}
			setting.factors, setting.rate = [2]float64{1, 1}, func(int) float64 { return 0.05 }
			for _, c := range some {
				c.set(&setting)
				if c.name != "" {
					names = append(names, c.name)
				}
			}
			t.Run(strings.Join(names, ", "), func(t *testing.T) {
				for _, d := range []dtype.DType{dtype.Float64, dtype.Float32} {
					follow(t, d, &setting, rule.want, func(params []*nd.Array) *optim.Optimiser {
						var given []optim.Option
						for _, c := range some {
							given = append(given, c.options(params)...)
						}
						return rule.construct(params, 0.05, given...)
					})
				}
			})
		}
	}
}

func follow(t *testing.T, d dtype.DType, c *chosen, want reference, construct func(params []*nd.Array) *optim.Optimiser) {
	tolerance := map[dtype.DType]float64{dtype.Float64: 1e-12, dtype.Float32: 1e-5}[d]
	weights := [][]float64{{1, -2, 3}, make([]float64, 37)} // which is some vectors of every kind, and a rest
	for j := range weights[1] {
		weights[1][j] = 0.5 - float64(j)/16
	}
	states := [][][2]float64{make([][2]float64, len(weights[0])), make([][2]float64, len(weights[1]))}
	params := []*nd.Array{nd.FromSlice(weights[0]).Cast(d), nd.FromSlice(weights[1]).Cast(d)}
	opt := construct(params)
	for step := 1; step <= 14; step++ {
		require.InDelta(t, c.rate(step), opt.LearningRate(), 1e-12)
		gradients := []*nd.Array{}
		for i, w := range weights {
			g := make([]float64, len(w))
			for j := range w {
				g[j] = math.Sin(float64(step*(1+i+3*j))) * 0.3
				w[j] = want(c, w[j], g[j], step, &states[i][j], c.factors[i]*c.rate(step), c.decays[i])
			}
			gradients = append(gradients, nd.FromSlice(g).Cast(d))
		}
		require.NoError(t, opt.Step(context.Background(), gradients))
		require.Equal(t, step, opt.Steps())
		for i, p := range params {
			got, err := nd.ValuesAs[float64](p)
			require.NoError(t, err)
			for j, w := range weights[i] {
				if !(math.Abs(w-got[j]) <= tolerance*(1+math.Abs(w))) {
					t.Fatalf("%v, step %d: element %d of parameter %d is %v, want %v", d, step, j, i, got[j], w)
				}
			}
		}
	}
}

func TestVelocitiesOfWeightsWithoutGradientsBecomeZero(t *testing.T) {
	opt := optim.NewSGD([]*nd.Array{nd.Ones[float32](40)}, 0.1, optim.Momentum(0.9))
	require.NoError(t, opt.Step(context.Background(), []*nd.Array{nd.Ones[float32](40)}))
	for range 900 {
		require.NoError(t, opt.Step(context.Background(), []*nd.Array{nd.Zeros[float32](40)}))
	}
	velocities, err := nd.Values[float32](opt.State()["0.velocity"])
	require.NoError(t, err)
	require.Equal(t, make([]float32, 40), velocities)
}
