package train_test

import (
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	_ "github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
	"github.com/weft-nd/weft/train"
)

// special is a layer of a user's, with parameters that are computed with alone, or not at all.
type special struct {
	nn.Layer
	scale, unused *nd.Array
	forward       func(c *nn.Ctx, s *special, x *nd.Array) *nd.Array
}

func (s *special) Forward(c *nn.Ctx, x *nd.Array) *nd.Array { return s.forward(c, s, x) }

func (s *special) Named() iter.Seq2[string, *nd.Array] {
	return func(yield func(string, *nd.Array) bool) {
		for name, p := range s.Layer.Named() {
			if !yield(name, p) {
				return
			}
		}
		_ = yield("scale", s.scale) && yield("unused", s.unused)
	}
}

// specials are forward passes that a capture could get wrong.
var specials = map[string]func(c *nn.Ctx, s *special, x *nd.Array) *nd.Array{
	"parameters alone": func(c *nn.Ctx, s *special, x *nd.Array) *nd.Array {
		return s.Layer.Forward(c, x.Mul(c.Param(s.scale).Exp().AddScalar(1)))
	},
	"dropout in a checkpoint": func(c *nn.Ctx, s *special, x *nd.Array) *nd.Array {
		dropped := autograd.Checkpoint(func(in []*nd.Array) []*nd.Array {
			return []*nd.Array{nn.NewDropout(0.4).Forward(&nn.Ctx{Train: true}, in[0]).Mul(in[1]).Tanh()}
		}, x.In(x.Env().WithGenerator(c.Generator)), c.Param(s.scale))
		return s.Layer.Forward(c, dropped[0])
	},
	"noise": func(c *nn.Ctx, s *special, x *nd.Array) *nd.Array {
		return s.Layer.Forward(c, x.Add(random.Normal(x.Env(), dtype.Float32, 0, 1, x.Shape()...)).Mul(c.Param(s.scale)))
	},
	"a gradient within": func(c *nn.Ctx, s *special, x *nd.Array) *nd.Array {
		inner := autograd.NewTape()
		slope := inner.Gradient(inner.Watch(c.Param(s.scale)).Square().Mul(x.Sum()).Sum(), c.Param(s.scale))[0]
		return s.Layer.Forward(c, x.Mul(slope))
	},
}

// specialTraining returns a training of a special model, whose gradients are decayed in place.
func specialTraining(place device.Device, forward func(c *nn.Ctx, s *special, x *nd.Array) *nd.Array) func(*train.Trainer) {
	return func(tr *train.Trainer) {
		tr.Env = tr.Env.WithDevice(place).WithSeed(3)
		model := &special{nn.NewDense(tr.Env, features, classes), nd.OnesIn(tr.Env, dtype.Float32, features), nd.OnesIn(tr.Env, dtype.Float32, 2), forward}
		tr.Model, tr.Validation = model, nil
		tr.Optimiser = optim.NewAdam(nn.Params(model), 0.01)
		tr.Loader = data.NewLoader(newSet(nd.DefaultEnv().WithDevice(place)), size, data.Shuffle(tr.Env))
		tr.Gradients = func(gradients []*nd.Array) {
			for _, g := range gradients {
				nd.AddInto(g, g, nd.OnesIn(g.Env(), g.DType(), 1))
			}
		}
	}
}

func TestCapturedStepsOfSpecialModelsHaveTheBitsOfCalledOnes(t *testing.T) {
	for name, forward := range specials {
		for _, place := range []device.Device{device.CPU(0), device.Sim(0)} {
			t.Run(name+" "+place.String(), func(t *testing.T) {
				change := specialTraining(place, forward)
				want := bits(t, fit(t, newTrainer(change), 2))
				captured := func(tr *train.Trainer) { tr.Captured = true }
				require.Equal(t, want, bits(t, fit(t, newTrainer(change, captured), 2)))
			})
		}
	}
}

// TestAModelThatComputesOutsideTheCaptureIsAnError uses a parameter without Ctx.Param.
func TestAModelThatComputesOutsideTheCaptureIsAnError(t *testing.T) {
	outside := func(c *nn.Ctx, s *special, x *nd.Array) *nd.Array { return s.Layer.Forward(c, x.Mul(s.scale.Exp())) }
	tr := newTrainer(specialTraining(device.CPU(0), outside), func(tr *train.Trainer) { tr.Captured = true })
	err := tr.Fit(context.Background(), 1)
	require.ErrorIs(t, err, fault.ErrMisuse)
	require.ErrorContains(t, err, "step 2, in epoch 1")
	require.ErrorContains(t, err, "captured_test.go")
	require.Equal(t, 1, tr.Step())
}
