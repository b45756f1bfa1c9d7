package optim_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/optim"
)

// TestStepsFollowTheFormula compares ten steps on two parameters with plain float64 arithmetic.
func TestStepsFollowTheFormula(t *testing.T) {
	const rate, momentum, decay = 0.1, 0.9, 0.01
	weights := [][]float64{{1, -2, 3}, {0.5}}
	velocities := [][]float64{{0, 0, 0}, {0}}
	params := []*nd.Array{nd.FromSlice(weights[0]), nd.FromSlice(weights[1])}
	opt := optim.NewSGD(params, rate, optim.Momentum(momentum), optim.WeightDecay(decay))
	for step := range 10 {
		gradients := []*nd.Array{}
		for i, w := range weights {
			g := make([]float64, len(w))
			for j := range w {
				g[j] = float64(step+1) * 0.3 * float64(j-i)
				velocities[i][j] = momentum*velocities[i][j] + (g[j] + decay*w[j])
				w[j] -= rate * velocities[i][j]
			}
			gradients = append(gradients, nd.FromSlice(g))
		}
		require.NoError(t, opt.Step(context.Background(), gradients))
	}
	for i, p := range params {
		got, err := nd.Values[float64](p)
		require.NoError(t, err)
		require.InDeltaSlice(t, weights[i], got, 1e-12)
	}
}

func TestStepWithAnErrorChangesNothing(t *testing.T) {
	params := []*nd.Array{nd.FromSlice([]float32{1, 2}), nd.FromSlice([]float32{3})}
	opt := optim.NewSGD(params, 0.5, optim.Momentum(0.9))
	good := []*nd.Array{nd.FromSlice([]float32{1, 1}), nd.FromSlice([]float32{1})}
	bad := []*nd.Array{good[0], nd.FromSlice([]float32{1}).Take(nd.FromSlice([]int64{5}), 0)}
	for range 2 {
		err := opt.Step(context.Background(), bad)
		require.ErrorIs(t, err, fault.ErrIndex)
		require.ErrorContains(t, err, "sgd was not run")
	}
	require.NoError(t, opt.Step(context.Background(), good))
	for i, want := range [][]float32{{0.5, 1.5}, {2.5}} {
		got, err := nd.Values[float32](params[i])
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestStepWhoseContextEndsChangesNothing(t *testing.T) {
	w, g := nd.Ones[float32](2), []*nd.Array{nd.Ones[float32](2)}
	opt := optim.NewSGD([]*nd.Array{w}, 0.5, optim.Momentum(0.5))
	ended, end := context.WithCancel(context.Background())
	end()
	require.ErrorIs(t, opt.Step(ended, g), context.Canceled)

	ctx, cancel := context.WithCancel(context.Background())
	err := nd.Read(context.Background(), w, func([]float32) error { // while w is read the update cannot begin
		stepped := make(chan error)
		go func() { stepped <- opt.Step(ctx, g) }()
		cancel()
		return <-stepped
	})
	require.ErrorIs(t, err, context.Canceled)

	require.NoError(t, opt.Step(context.Background(), g))
	got, err := nd.Values[float32](w)
	require.NoError(t, err)
	require.Equal(t, []float32{0.5, 0.5}, got)
}

func TestStepRefusesGradientsThatDoNotFit(t *testing.T) {
	opt := optim.NewSGD([]*nd.Array{nd.Ones[float32](2, 2)}, 0.1)
	cases := map[string]struct {
		gradients []*nd.Array
		want      error
	}{
		"too few":       {nil, fault.ErrMisuse},
		"another shape": {[]*nd.Array{nd.Ones[float32](2)}, fault.ErrShape},
		"another dtype": {[]*nd.Array{nd.Ones[float64](2, 2)}, fault.ErrDType},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := nd.Try(func() { opt.Step(context.Background(), c.gradients) })
			require.ErrorIs(t, err, c.want)
			require.Contains(t, err.Error(), "sgd_test.go")
		})
	}
}

func TestNewSGDRefusesWhatItCannotUse(t *testing.T) {
	w := []*nd.Array{nd.Ones[float32](2)}
	cases := map[string]struct {
		call func()
		want error
	}{
		"nil":                {func() { optim.NewSGD([]*nd.Array{nil}, 1) }, fault.ErrMisuse},
		"negative momentum":  {func() { optim.NewSGD(w, 1, optim.Momentum(-1)) }, fault.ErrParameter},
		"decay not a number": {func() { optim.NewSGD(w, 1, optim.WeightDecay(math.NaN())) }, fault.ErrParameter},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := nd.Try(c.call)
			require.ErrorIs(t, err, c.want)
			require.Contains(t, err.Error(), "sgd_test.go")
		})
	}
}

func TestOptimiserOfNothingSteps(t *testing.T) {
	require.NoError(t, optim.NewSGD(nil, 0.1).Step(context.Background(), nil))
}

func TestLearningRateChanges(t *testing.T) {
	w := nd.FromSlice([]float64{1})
	opt := optim.NewSGD([]*nd.Array{w}, 1)
	opt.SetLearningRate(opt.LearningRate() / 4)
	require.NoError(t, opt.Step(context.Background(), []*nd.Array{nd.FromSlice([]float64{1})}))
	got, err := nd.Item[float64](w)
	require.NoError(t, err)
	require.Equal(t, 0.75, got)
}
