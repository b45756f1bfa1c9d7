package ops

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The same bits on every processor, whether or not it fuses products with sums where Go leaves it free to.
func TestDecoupledDecayRoundsTheProductOfRateAndDecay(t *testing.T) {
	env := newEnv(t, "naive")
	told := 0
	for i := range 50 {
		rate, decay := 1/float64(i+3), 1/float64(2*i+7)
		want := 1 - float64(rate*decay)
		if math.FMA(-rate, decay, 1) != want {
			told++
		}
		weight := vector(env, 1)
		p := AdamParams{LearningRates: []float64{rate}, WeightDecays: []float64{decay}, Momentum: 0.9, Smoothing: 0.99, Epsilon: 1e-8, Step: 1, Decoupled: true}
		Invoke(Adam, p, weight, vector(env, 0), vector(env, 0), vector(env, 0))
		require.Equal(t, []float64{want}, valuesOf(t, weight), "rate %v, decay %v", rate, decay)
	}
	require.Positive(t, told, "no case tells both ways apart")
}
