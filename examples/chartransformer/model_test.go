package main

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// optionsOf returns those of flags, as parseOptions does.
func optionsOf(t *testing.T, args ...string) *options {
	t.Helper()
	o, err := parseOptions(args, &bytes.Buffer{})
	require.NoError(t, err)
	return o
}

func TestTemperatureMakesChoicesBolder(t *testing.T) {
	often := func(temperature float64) (first int) {
		random := rand.New(rand.NewPCG(1, 1))
		for range 1000 {
			if choose(random, []float64{1, 0}, temperature, 0) == 0 {
				first++
			}
		}
		return first
	}
	// The parts of the likelier one are 1/(1+exp(−1/temperature)).
	require.InDelta(t, 982, often(0.25), 20)
	require.InDelta(t, 731, often(1), 60)
	require.InDelta(t, 562, often(4), 60)
}

func TestDropoutDropsInTrainingAlone(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	x := nd.FromSliceIn(env, []int64{0, 1, 2, 1}, 1, 4)
	for rate, drops := range map[string]bool{"0": false, "0.5": true} {
		model := newTransformer(env, optionsOf(t, "-layers", "1", "-width", "8", "-heads", "2", "-dropout", rate), 3)
		run := func(c *nn.Ctx) []float32 {
			values, err := nd.Values[float32](model.Forward(c, x))
			require.NoError(t, err)
			return values
		}
		require.Equal(t, run(nn.Infer()), run(nn.Infer()))
		require.Equal(t, drops, !slices.Equal(run(nn.Infer()), run(nn.Train(nil, env.Generator()))), rate)
	}
}

func TestSteepGradientsAreClipped(t *testing.T) {
	o := optionsOf(t, "-layers", "1", "-width", "8", "-heads", "2", "-context", "4")
	c, err := newCorpus("the text that is learned", o.context)
	require.NoError(t, err)
	gradients := []*nd.Array{nd.FromSlice([]float32{30, 0}), nd.FromSlice([]float32{40})}
	newTrainer(o, c, &bytes.Buffer{}).Gradients(gradients)
	for i, want := range [][]float32{{0.6, 0}, {0.8}} {
		got, err := nd.Values[float32](gradients[i])
		require.NoError(t, err)
		require.InDeltaSlice(t, want, got, 1e-6)
	}
}
