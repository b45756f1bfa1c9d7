package weft_test

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
)

func TestTwoTapesOnOneParameterAtOnce(t *testing.T) {
	withEngines(t, func(t *testing.T, e engine.Engine) {
		env := ops.NewEnv(e).WithSeed(3)
		w := random.Normal(env, dtype.Float64, 0, 1, 40, 30)
		var parties sync.WaitGroup
		for i := range 2 {
			parties.Go(func() {
				factor := float64(i + 2)
				for range 50 {
					tape := autograd.NewTape()
					loss := tape.Watch(w).MulScalar(factor).Square().Sum()
					gradient, err := nd.Values[float64](tape.Gradient(loss, w)[0])
					require.NoError(t, err)
					values, err := nd.Values[float64](w)
					require.NoError(t, err)
					for j, v := range values {
						require.InDelta(t, 2*factor*factor*v, gradient[j], 1e-12)
					}
				}
			})
		}
		parties.Wait()
	})
}

func TestHessianVectorProduct(t *testing.T) {
	withEngines(t, func(t *testing.T, e engine.Engine) {
		env := ops.NewEnv(e)
		x, v := nd.FromSliceIn(env, []float64{0.3, -0.7, 1.1}, 3), nd.FromSliceIn(env, []float64{1, -2, 0.5}, 3)
		// f(x) = sum(exp(x)·x²): the Hessian is diagonal, exp(x)·(x² + 4x + 2).
		outer, inner := autograd.NewTape(), autograd.NewTape()
		y := inner.Watch(outer.Watch(x))
		gradient := inner.Gradient(y.Exp().Mul(y.Square()).Sum(), y)[0]
		product := outer.Gradient(gradient.Mul(v).Sum(), x)[0]
		got, err := nd.Values[float64](product)
		require.NoError(t, err)
		for i, x := range []float64{0.3, -0.7, 1.1} {
			want := math.Exp(x) * (x*x + 4*x + 2) * []float64{1, -2, 0.5}[i]
			require.InDelta(t, want, got[i], 1e-12)
		}
	})
}

func TestWriteToViewOfMemoryThatTapeSaved(t *testing.T) {
	withEngines(t, func(t *testing.T, e engine.Engine) {
		env := ops.NewEnv(e)
		x := nd.FullIn(env, dtype.Float32, 3, 4, 5)
		tape := autograd.NewTape()
		y := tape.Watch(x)
		loss := y.Mul(y).Sum() // the tape saves x here
		err := nd.Try(func() {
			x.SetSlice(nd.FullIn(env, dtype.Float32, 9, 5), 2) // and this writes to a row of it
		})
		require.ErrorIs(t, err, fault.ErrSaved)
		require.Regexp(t, `saved this memory at hard_autograd_test\.go:\d+ .*at hard_autograd_test\.go:\d+`, err.Error())
		gradient, err := nd.Values[float32](tape.Gradient(loss, x)[0])
		require.NoError(t, err)
		require.Equal(t, float32(6), gradient[10])
		x.SetSlice(nd.FullIn(env, dtype.Float32, 9, 5), 2) // the tape is used: nobody minds
		values, err := nd.Values[float32](x)
		require.NoError(t, err)
		require.Equal(t, float32(9), values[10])
	})
}

// classifier is a small model with the data of its steps.
type classifier struct {
	env   *nd.Env
	model *nn.Sequential
	opt   *optim.Optimiser
	x     []*nd.Array
	y     []*nd.Array
}

func newClassifier(env *nd.Env, inputs, hidden, batches int) *classifier {
	c := &classifier{env: env}
	c.model = nn.NewSequential(nn.NewDense(env, inputs, hidden), nn.Relu, nn.NewDense(env, hidden, 10))
	c.opt = optim.NewSGD(c.model.Params(), 0.05, optim.Momentum(0.9), optim.WeightDecay(1e-3))
	for range batches {
		c.x = append(c.x, random.Normal(env, dtype.Float32, 0, 1, 32, inputs))
		c.y = append(c.y, random.Uniform(env, dtype.Float32, 0, 10, 32).Cast(dtype.Int64))
	}
	return c
}

func (c *classifier) step(i int) error {
	tape := autograd.NewTape()
	defer tape.Close()
	logits := c.model.Forward(nn.Train(tape, c.env.Generator()), c.x[i%len(c.x)])
	loss := nn.SoftmaxCrossEntropy(logits, c.y[i%len(c.y)])
	return c.opt.Step(context.Background(), tape.Gradient(loss, c.model.Params()...))
}

// bits returns all parameters as the bits of their elements.
func (c *classifier) bits(t *testing.T) (all []uint32) {
	for _, p := range c.model.Params() {
		values, err := nd.Values[float32](p)
		require.NoError(t, err)
		for _, v := range values {
			all = append(all, math.Float32bits(v))
		}
	}
	return all
}

func TestEnginesGiveEqualBitsOverTraining(t *testing.T) {
	var want []uint32
	withEngines(t, func(t *testing.T, e engine.Engine) {
		c := newClassifier(ops.NewEnv(e).WithSeed(11), 50, 64, 5)
		before := c.bits(t)
		for i := range 100 {
			require.NoError(t, c.step(i))
		}
		after := c.bits(t)
		require.NotEqual(t, before, after)
		if want == nil {
			want = after
		}
		require.Equal(t, want, after)
	})
}
