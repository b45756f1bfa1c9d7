package autograd_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// block is a part of a network, with random numbers.
func block(in []*nd.Array) []*nd.Array {
	hidden := dropout(in[0].MatMul(in[1]).Tanh())
	return []*nd.Array{dropout(hidden.Exp().Sub(hidden).Mul(hidden.Sigmoid())), hidden.Square()}
}

// plainly calls fn as Checkpoint does, and saves everything.
func plainly(fn func([]*nd.Array) []*nd.Array, inputs ...*nd.Array) []*nd.Array { return fn(inputs) }

func TestCheckpointedGradientsAreEqualInBits(t *testing.T) {
	type run = func(fn func([]*nd.Array) []*nd.Array, inputs ...*nd.Array) []*nd.Array
	nested := func(fn func([]*nd.Array) []*nd.Array, inputs ...*nd.Array) []*nd.Array {
		return autograd.Checkpoint(func(in []*nd.Array) []*nd.Array { return autograd.Checkpoint(fn, in...) }, inputs...)
	}
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
		results := [][]float64{}
		for _, run := range []run{plainly, autograd.Checkpoint, nested} {
			env := ops.DefaultEnv().WithSeed(5)
			x, w := nd.FullIn(env, d, 0.1, 8, 6), []*nd.Array{}
			tape := autograd.NewTape(autograd.Persistent())
			y, extra := dropout(tape.Watch(x)), nd.FullIn(env, d, 0)
			for i := range 4 {
				w = append(w, dropout(nd.FullIn(env, d, 0.3+0.01*float64(i), 6, 6)))
				r := run(block, y, tape.Watch(w[i]))
				require.Same(t, env.Generator(), r[0].Env().Generator())
				y, extra = r[0], extra.Add(r[1].Sum())
			}
			loss := dropout(y).Sum().Add(extra)
			all := []float64{}
			for range 2 { // the second time the generator has gone on
				dropout(x)
				for _, a := range append(tape.Gradient(loss, append(w, x)...), loss, dropout(nd.FullIn(env, d, 1, 50))) {
					elements, err := nd.ValuesAs[float64](a)
					require.NoError(t, err)
					all = append(all, elements...)
				}
			}
			tape.Close()
			results = append(results, all)
		}
		require.NotZero(t, results[0][0])
		require.Equal(t, results[0], results[1], d)
		require.Equal(t, results[0], results[2], d)
	}
}

func TestCheckpointsHaveDerivativesOfHigherOrder(t *testing.T) {
	at := []float64{0.4, -0.7}
	f := func(x *nd.Array) *nd.Array { return x.Sin().Mul(x.Exp()) }
	checkpointed := func(x *nd.Array) *nd.Array {
		return autograd.Checkpoint(func(in []*nd.Array) []*nd.Array { return []*nd.Array{f(in[0])} }, x)[0]
	}
	x := nd.FromSlice(at)
	requireNear(t, values(t, autograd.Hessian(total(f), x)), values(t, autograd.Hessian(total(checkpointed), x)), 1e-14)
	third := func(f function) function {
		return func(x *nd.Array) *nd.Array { return autograd.HessianVector(total(f), x, x.Detach()) }
	}
	requireNear(t, values(t, slope(third(f), x)), values(t, slope(third(checkpointed), x)), 1e-13)
}

// TestCheckpointsHoldLessMemory counts what is in use between the forward and the backward pass.
func TestCheckpointsHoldLessMemory(t *testing.T) {
	const elements, blocks, parts = 1 << 16, 4, 6
	place, size := device.Sim(1), int64(elements*4)
	deep := func(in []*nd.Array) []*nd.Array {
		y := in[0]
		for range parts {
			y = y.Tanh()
		}
		return []*nd.Array{y}
	}
	use := func(run func(fn func([]*nd.Array) []*nd.Array, inputs ...*nd.Array) []*nd.Array, arrays int64) int64 {
		require.LessOrEqual(t, heldOn(place, 1<<12), int64(1<<12))
		x := nd.Full[float32](0.5, elements).To(place).Copy()
		tape := autograd.NewTape()
		y := tape.Watch(x)
		for range blocks {
			y = run(deep, y)[0]
		}
		loss := y.Sum()
		_, err := nd.Values[float32](loss)
		require.NoError(t, err)
		held := heldOn(place, arrays*size+1<<12)
		_, err = nd.Values[float32](tape.Gradient(loss, x)[0])
		require.NoError(t, err)
		x, y = nil, nil
		require.LessOrEqual(t, heldOn(place, 1<<12), int64(1<<12), "the loss is alive, and holds nothing of its tape")
		require.NotNil(t, loss)
		loss = nil
		return held
	}
	everything, borders := use(plainly, blocks*parts+1), use(autograd.Checkpoint, blocks+2)
	require.GreaterOrEqual(t, everything, blocks*parts*size)
	require.LessOrEqual(t, borders, (blocks+2)*size+1<<12)
}

func TestMistakesInCheckpoints(t *testing.T) {
	x, tape := nd.FromSlice([]float64{1, 2}), autograd.NewTape(autograd.Persistent())
	watched, runs := tape.Watch(x), 0
	changing := func(second func(in []*nd.Array) []*nd.Array) func(in []*nd.Array) []*nd.Array {
		runs = 0
		return func(in []*nd.Array) []*nd.Array {
			if runs++; runs == 1 {
				return []*nd.Array{in[0].Square()}
			}
			return second(in)
		}
	}
	for name, fn := range map[string]func(in []*nd.Array) []*nd.Array{
		"no results":      func([]*nd.Array) []*nd.Array { return nil },
		"watched beside":  func(in []*nd.Array) []*nd.Array { return []*nd.Array{in[0].Mul(watched)} },
		"another shape":   changing(func(in []*nd.Array) []*nd.Array { return []*nd.Array{in[0].Sum()} }),
		"another number":  changing(func(in []*nd.Array) []*nd.Array { return []*nd.Array{in[0], in[0]} }),
		"nil when repeat": changing(func([]*nd.Array) []*nd.Array { return []*nd.Array{nil} }),
	} {
		runs = 0
		err := nd.Try(func() { tape.Gradient(autograd.Checkpoint(fn, watched)[0].Sum(), x) })
		require.ErrorIs(t, err, fault.ErrMisuse, name)
		require.Regexp(t, `^weft: Checkpoint: .*checkpoint_test\.go`, err.Error(), name)
	}
	require.ErrorIs(t, nd.Try(func() { autograd.Checkpoint(block, x, nil) }), fault.ErrMisuse)
}

func TestCheckpointsTakeScalarsIntegersAndUnusedInputs(t *testing.T) {
	x, rows := nd.FromSlice([]float32{1, 2, 3}), nd.FromSlice([]int64{2, 0})
	unused := nd.FromSlice([]float32{4})
	tape := autograd.NewTape()
	y := autograd.Checkpoint(func(in []*nd.Array) []*nd.Array {
		return []*nd.Array{in[0].Take(in[1], 0).Mul(in[2]), in[1]}
	}, tape.Watch(x), rows, nd.Weak(2.0), tape.Watch(unused))
	require.Equal(t, dtype.Float32, y[0].DType(), "a weak scalar stays one")
	require.Equal(t, dtype.Int64, y[1].DType())
	g := tape.Gradient(y[0].Sum(), x, unused)
	got, err := nd.Values[float32](g[0])
	require.NoError(t, err)
	require.Equal(t, []float32{2, 0, 2}, got)
	none, err := nd.Values[float32](g[1])
	require.NoError(t, err)
	require.Equal(t, []float32{0}, none)
}
