package optim_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
)

// TestNetsOfHalvesTrain trains attention, a normalisation, a gelu, dropout and dense layers whose parameters, activations and gradients
// are all of two bytes to tell whether a feature is larger at the first time than at the last.
func TestNetsOfHalvesTrain(t *testing.T) {
	const samples, times, features = 32, 4, 6
	for name, construct := range map[string]func(params []*nd.Array) *optim.Optimiser{
		"sgd":     func(p []*nd.Array) *optim.Optimiser { return optim.NewSGD(p, 0.2, optim.Momentum(0.9)) },
		"adamw":   func(p []*nd.Array) *optim.Optimiser { return optim.NewAdamW(p, 0.02) },
		"rmsprop": func(p []*nd.Array) *optim.Optimiser { return optim.NewRMSProp(p, 0.005) },
	} {
		for _, d := range []dtype.DType{dtype.BFloat16, dtype.Float16} {
			if testing.Short() && (name != "adamw" || d != dtype.BFloat16) {
				continue // one of the six is enough for the race detector
			}
			t.Run(fmt.Sprint(name, " ", d), func(t *testing.T) {
				env := nd.DefaultEnv().WithSeed(3)
				drawn := func(deviation float64, shape ...int) *nd.Array {
					return random.Normal(env, dtype.Float32, 0, deviation, shape...).Cast(d)
				}
				x := drawn(1, samples, times, features)
				first, last := x.Index(nd.Whole, 0, 0), x.Index(nd.Whole, -1, 0)
				labels := first.Greater(last).Cast(d)
				params := []*nd.Array{
					drawn(0.4, features, 3*features), nd.OnesIn(env, d, features), nd.ZerosIn(env, d, features),
					drawn(0.4, times*features, 16), drawn(0.4, 16, 1), nd.ZerosIn(env, d, 1),
				}
				opt, losses := construct(params), []float64{}
				for range 150 {
					tape := autograd.NewTape()
					p := make([]*nd.Array, len(params))
					for i, a := range params {
						p[i] = tape.Watch(a)
					}
					attended, _ := x.MatMul(p[0]).SelfAttention(2, false)
					y := attended.Add(x).LayerNorm(p[1], p[2], -1, 1e-3).Reshape(samples, times*features).MatMul(p[3]).Gelu()
					y = (*nd.Array)(ops.Invoke(ops.Dropout, ops.DropoutParams{Probability: 0.05}, (*ops.Tensor)(y))[0])
					loss := y.MatMul(p[4]).Add(p[5]).Sigmoid().Reshape(samples).Sub(labels).Square().Mean()
					gradients := tape.Gradient(loss, p...)
					for i, g := range gradients {
						require.Equal(t, d, g.DType(), "gradient %d", i)
					}
					require.NoError(t, opt.Step(context.Background(), gradients))
					now, err := nd.ValuesAs[float64](loss)
					require.NoError(t, err)
					losses = append(losses, now[0])
				}
				require.Less(t, losses[len(losses)-1], losses[0]/5, "from %v", losses[0])
				for name, a := range opt.State() {
					if name != "steps" {
						require.Equal(t, dtype.Float32, a.DType(), name)
					}
				}
			})
		}
	}
}

// TestStatesOfHalvesDoNotStandStill lets gradients vanish: their mean square has to fall, by a thousandth in each step, which bfloat16
// cannot tell.
func TestStatesOfHalvesDoNotStandStill(t *testing.T) {
	w := nd.Ones[float32](1).Cast(dtype.BFloat16)
	opt := optim.NewAdam([]*nd.Array{w}, 0.001)
	gradient := nd.Ones[float32](1).Cast(dtype.BFloat16)
	mean := func() float32 {
		v, err := nd.Values[float32](opt.State()["0.second_moment"])
		require.NoError(t, err)
		return v[0]
	}
	require.NoError(t, opt.Step(context.Background(), []*nd.Array{gradient}))
	before := mean()
	require.NoError(t, opt.Step(context.Background(), []*nd.Array{nd.ZerosLike(gradient)}))
	require.InEpsilon(t, 0.999*before, mean(), 1e-5)
}
