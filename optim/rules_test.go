package optim_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/optim"
)

// reference is one element's way through the steps of a rule, in plain float64 arithmetic.
type reference func(w, slope float64, step int, state *[2]float64, rate, decay float64) float64

func referenceSGD(momentum float64, nesterov bool) reference {
	return func(w, slope float64, _ int, state *[2]float64, rate, decay float64) float64 {
		slope += decay * w
		state[0] = momentum*state[0] + slope
		if nesterov {
			return w - rate*(slope+momentum*state[0])
		}
		return w - rate*state[0]
	}
}

func referenceAdam(beta1, beta2, epsilon float64, decoupled bool) reference {
	return func(w, slope float64, step int, state *[2]float64, rate, decay float64) float64 {
		if decoupled {
			w -= rate * decay * w
		} else {
			slope += decay * w
		}
		state[0] = beta1*state[0] + (1-beta1)*slope
		state[1] = beta2*state[1] + (1-beta2)*slope*slope
		mean, square := state[0]/(1-math.Pow(beta1, float64(step))), state[1]/(1-math.Pow(beta2, float64(step)))
		return w - rate*mean/(math.Sqrt(square)+epsilon)
	}
}

func referenceRMSProp(smoothing, epsilon, momentum float64) reference {
	return func(w, slope float64, _ int, state *[2]float64, rate, decay float64) float64 {
		slope += decay * w
		state[0] = smoothing*state[0] + (1-smoothing)*slope*slope
		state[1] = momentum*state[1] + slope/(math.Sqrt(state[0])+epsilon)
		return w - rate*state[1]
	}
}

// Each step of each rule equals that of the reference, with a weight decay and a learning rate that differ between parameters, and a
// schedule.
func TestStepsFollowTheFormulas(t *testing.T) {
	schedule := optim.WarmUp(5, optim.Cosine(0.1, 0.01, 30))
	rate := func(step int) float64 { // of steps from 1
		if step <= 5 {
			return 0.1 * float64(step) / 6
		}
		return 0.01 + 0.09*(1+math.Cos(math.Pi*float64(min(step-6, 30))/30))/2
	}
	type constructor = func(params []*nd.Array, rate float64, options ...optim.Option) *optim.Optimiser
	for name, c := range map[string]struct {
		construct constructor
		options   []optim.Option
		decay     float64 // of the first parameter
		want      reference
	}{
		"descent":            {optim.NewSGD, nil, 0, referenceSGD(0, false)},
		"momentum":           {optim.NewSGD, []optim.Option{optim.Momentum(0.9)}, 0, referenceSGD(0.9, false)},
		"nesterov":           {optim.NewSGD, []optim.Option{optim.Momentum(0.9), optim.Nesterov()}, 0, referenceSGD(0.9, true)},
		"adam":               {optim.NewAdam, nil, 0, referenceAdam(0.9, 0.999, 1e-8, false)},
		"adam, other betas":  {optim.NewAdam, []optim.Option{optim.Betas(0.8, 0.95), optim.Epsilon(1e-3)}, 0, referenceAdam(0.8, 0.95, 1e-3, false)},
		"adamw":              {optim.NewAdamW, nil, 0.01, referenceAdam(0.9, 0.999, 1e-8, true)},
		"rmsprop":            {optim.NewRMSProp, nil, 0, referenceRMSProp(0.99, 1e-8, 0)},
		"rmsprop, momentous": {optim.NewRMSProp, []optim.Option{optim.Smoothing(0.9), optim.Momentum(0.5), optim.Epsilon(1e-2)}, 0, referenceRMSProp(0.9, 1e-2, 0.5)},
	} {
		t.Run(name, func(t *testing.T) {
			weights := [][]float64{{1, -2, 3}, {0.5}}
			states := [][][2]float64{make([][2]float64, 3), make([][2]float64, 1)}
			params := []*nd.Array{nd.FromSlice(weights[0]), nd.FromSlice(weights[1])}
			opt := c.construct(params, 7, append(c.options, optim.Scheduled(schedule), optim.WeightDecay(0.2, params[1]), optim.RateFactor(0.5, params[1]))...)
			for step := 1; step <= 50; step++ {
				require.InDelta(t, rate(step), opt.LearningRate(), 1e-12)
				gradients := []*nd.Array{}
				for i, w := range weights {
					g := make([]float64, len(w))
					decay, factor := c.decay, 1.0
					if i == 1 {
						decay, factor = 0.2, 0.5
					}
					for j := range w {
						g[j] = math.Sin(float64(step*(1+i+3*j))) * 0.3
						w[j] = c.want(w[j], g[j], step, &states[i][j], factor*rate(step), decay)
					}
					gradients = append(gradients, nd.FromSlice(g))
				}
				require.NoError(t, opt.Step(context.Background(), gradients))
				require.Equal(t, step, opt.Steps())
				for i, p := range params {
					got, err := nd.Values[float64](p)
					require.NoError(t, err)
					require.InDeltaSlice(t, weights[i], got, 1e-11, "step %d", step)
				}
			}
		})
	}
}

func TestSchedulesGiveTheRatesTheyPromise(t *testing.T) {
	for name, c := range map[string]struct {
		schedule optim.Schedule
		want     []float64 // from step 0 on
	}{
		"constant":   {optim.Constant(0.5), []float64{0.5, 0.5}},
		"step decay": {optim.StepDecay(8, 0.5, 2), []float64{8, 8, 4, 4, 2, 2}},
		"cosine":     {optim.Cosine(2, 0, 2), []float64{2, 1, 0, 0, 0}},
		"warm-up":    {optim.WarmUp(3, optim.StepDecay(4, 0.5, 1)), []float64{1, 2, 3, 4, 2, 1}},
		"no warm-up": {optim.WarmUp(0, optim.Constant(4)), []float64{4, 4}},
	} {
		for step, want := range c.want {
			require.InDelta(t, want, c.schedule(step), 1e-12, fmt.Sprint(name, step))
		}
	}
}

// An optimiser with the state of another makes its steps, to the bit.
func TestStateContinuesWhereItWasTaken(t *testing.T) {
	gradient := func(step int) []*nd.Array {
		return []*nd.Array{nd.FromSlice([]float32{float32(step), -1, 0.25}), nd.FromSlice([]float32{0.1})}
	}
	for name, construct := range map[string]func(params []*nd.Array) *optim.Optimiser{
		"sgd":     func(params []*nd.Array) *optim.Optimiser { return optim.NewSGD(params, 0.1, optim.Momentum(0.9)) },
		"adam":    func(params []*nd.Array) *optim.Optimiser { return optim.NewAdam(params, 0.1) },
		"rmsprop": func(params []*nd.Array) *optim.Optimiser { return optim.NewRMSProp(params, 0.1) },
		"schedule": func(params []*nd.Array) *optim.Optimiser {
			return optim.NewAdamW(params, 0, optim.Scheduled(optim.StepDecay(1, 0.9, 1)))
		},
		"rate that was set": func(params []*nd.Array) *optim.Optimiser { return optim.NewSGD(params, 0.1) },
	} {
		t.Run(name, func(t *testing.T) {
			params := []*nd.Array{nd.FromSlice([]float32{1, 2, 3}), nd.FromSlice([]float32{-1})}
			whole := construct(params)
			for step := range 3 {
				require.NoError(t, whole.Step(context.Background(), gradient(step)))
			}
			if name == "rate that was set" {
				whole.SetLearningRate(0.025)
			}
			copies := []*nd.Array{params[0].Copy(), params[1].Copy()}
			second := construct(copies)
			require.NoError(t, second.SetState(whole.State()))
			for step := 3; step < 6; step++ {
				require.NoError(t, whole.Step(context.Background(), gradient(step)))
				require.NoError(t, second.Step(context.Background(), gradient(step)))
			}
			for i := range params {
				want, err := nd.Values[float32](params[i])
				require.NoError(t, err)
				got, err := nd.Values[float32](copies[i])
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		})
	}
}

func TestStateBeforeTheRateWasSetGoesBackToTheSchedule(t *testing.T) {
	opt := optim.NewSGD([]*nd.Array{nd.Ones[float32](2)}, 0, optim.Scheduled(optim.Constant(0.5)))
	before := opt.State()
	opt.SetLearningRate(3)
	require.Equal(t, 3.0, opt.LearningRate())
	require.NoError(t, opt.SetState(before))
	require.Equal(t, 0.5, opt.LearningRate())
}

func TestStateThatDoesNotFitIsRefusedAndChangesNothing(t *testing.T) {
	construct := func() *optim.Optimiser { return optim.NewSGD([]*nd.Array{nd.Ones[float32](2)}, 0.1) }
	for name, c := range map[string]struct {
		change func(state map[string]*nd.Array)
		text   string
	}{
		"missing":        {func(s map[string]*nd.Array) { delete(s, "0.velocity") }, "no array 0.velocity"},
		"too much":       {func(s map[string]*nd.Array) { s["1.velocity"] = nd.Ones[float32](2) }, "array 1.velocity, of another rule"},
		"another shape":  {func(s map[string]*nd.Array) { s["0.velocity"] = nd.Ones[float32](3) }, "shape \\[3\\]"},
		"another dtype":  {func(s map[string]*nd.Array) { s["0.velocity"] = nd.Ones[float64](2) }, "float64"},
		"no steps":       {func(s map[string]*nd.Array) { delete(s, "steps") }, "no int64 number steps"},
		"rate no number": {func(s map[string]*nd.Array) { s["rate"] = nd.FromSlice([]float64{math.NaN()}, []int{}...) }, "rate is NaN"},
		"rate of array":  {func(s map[string]*nd.Array) { s["rate"] = nd.Ones[float64](1) }, "rate has shape \\[1\\]"},
		"negative steps": {func(s map[string]*nd.Array) { s["steps"] = nd.FromSlice([]int64{-1}, []int{}...) }, "-1 steps"},
	} {
		t.Run(name, func(t *testing.T) {
			opt, other := construct(), construct()
			require.NoError(t, other.Step(context.Background(), []*nd.Array{nd.Ones[float32](2)}))
			state := other.State()
			c.change(state)
			require.Regexp(t, c.text, opt.SetState(state).Error())
			require.Zero(t, opt.Steps())
			velocity, err := nd.Values[float32](opt.State()["0.velocity"])
			require.NoError(t, err)
			require.Equal(t, []float32{0, 0}, velocity)
		})
	}
}

func TestClippingLimitsGradientsInPlace(t *testing.T) {
	values := func(a *nd.Array) []float64 {
		v, err := nd.ValuesAs[float64](a)
		require.NoError(t, err)
		return v
	}
	gradients := func() []*nd.Array {
		return []*nd.Array{nd.FromSlice([]float64{3, -4}), nd.FromSlice([]float32{12, 0})}
	}
	g := gradients()
	optim.ClipValue(g, 3.5)
	require.Equal(t, [][]float64{{3, -3.5}, {3.5, 0}}, [][]float64{values(g[0]), values(g[1])})
	g = gradients()
	require.InDelta(t, 13, values(optim.ClipNorm(g, 26))[0], 1e-12)
	require.Equal(t, [][]float64{{3, -4}, {12, 0}}, [][]float64{values(g[0]), values(g[1])})
	require.InDelta(t, 13, values(optim.ClipNorm(g, 6.5))[0], 1e-12)
	require.Equal(t, [][]float64{{1.5, -2}, {6, 0}}, [][]float64{values(g[0]), values(g[1])})
	require.Zero(t, values(optim.ClipNorm(nil, 1))[0])

	bad := []*nd.Array{nd.FromSlice([]float64{math.NaN(), 7})}
	require.True(t, math.IsNaN(values(optim.ClipNorm(bad, 1))[0]))
	optim.ClipValue(bad, 1)
	require.True(t, math.IsNaN(values(bad[0])[0]))
}

// Rounded to the nearest, nine tenths of the least subnormal number are that number again.
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
