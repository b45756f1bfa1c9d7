package ops

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// TestInputsOfAReplayAreReadWhereTheyAreIfTheyLieInRows counts the copies.
func TestInputsOfAReplayAreReadWhereTheyAreIfTheyLieInRows(t *testing.T) {
	eachPlace(t, func(t *testing.T, env *Env) {
		var log order
		defer env.engine.Observe(&log)()
		square := func(c *Capture, x *Tensor, outputs []*Tensor) (copied bool) {
			require.NoError(t, env.engine.WaitAll(t.Context())) // for what was pushed before
			log.names = nil
			c.ReplayWith(x)
			require.NoError(t, env.engine.WaitAll(t.Context()))
			copied = slices.Contains(log.names, "copy")
			require.Equal(t, valuesOf(t, Invoke(Mul, nil, x, x)[0]), valuesOf(t, outputs[0]))
			return copied
		}
		for _, draws := range []bool{false, true} {
			x := vector(env, 1, 2, 3, 4)
			var outputs []*Tensor
			c := env.CaptureFunction([]*Tensor{x}, func(env *Env) []*Tensor {
				if draws {
					InvokeIn(env, Uniform, UniformParams{Shape: []int{2}, DType: x.DType(), High: 1})
				}
				outputs = Invoke(Mul, nil, x.In(env), x)
				return outputs
			})
			always := draws || !env.device.OnHost() // as others may come between the calls, or a GPU keeps addresses
			big := vector(env, 5, 6, 7, 8, 9, 10, 11, 12)
			part := func(start, step int) *Tensor {
				return Invoke(Slice, SliceParams{[]storage.Span{{Start: start, Count: 4, Step: step}}}, big)[0]
			}
			require.Equal(t, always, square(c, vector(env, 5, 6, 7, 8), outputs))
			require.Equal(t, always, square(c, part(3, 1), outputs))
			require.Equal(t, true, square(c, part(1, 2), outputs))
			c.Release()
			require.ErrorIs(t, mistake(t, func() { c.ReplayWith(big) }), fault.ErrReleased)
		}
		c := env.CaptureFunction([]*Tensor{vector(env, 1, 2)}, func(*Env) []*Tensor { return nil })
		c.ReplayWith(vector(env, 1, 2))
		c.Release()
	})
}

// waiting is the function of an operation that ends when the channel is closed.
type waiting chan struct{}

func (w waiting) Run(*engine.RunContext) error {
	<-w
	return nil
}

// TestWhatIsLentStaysThoughItsCallerDropsIt holds replays back while the collector runs, and others take memory.
func TestWhatIsLentStaysThoughItsCallerDropsIt(t *testing.T) {
	const count = 1 << 14 // which is not of Go's heap
	for _, kind := range []string{"perdevice", "pooled"} {
		env := newEnv(t, kind)
		filled := func(value float64) *Tensor {
			return Invoke(Mul, nil, vector(env, slices.Repeat([]float64{value}, count)...), vector(env, 1))[0]
		}
		added := filled(1)
		input, outputs := filled(2), []*Tensor(nil)
		c := env.CaptureFunction([]*Tensor{input}, func(env *Env) []*Tensor {
			outputs = Invoke(Add, nil, input.In(env), added)
			return outputs
		})
		input = nil
		for range 4 {
			hold, dropped := make(waiting), filled(3)
			require.NoError(t, env.engine.WaitAll(t.Context()))
			env.engine.Push(&engine.Operation{Name: "hold", Function: hold, Accesses: []engine.Access{{Var: added.view.Synced.Var(), Mode: engine.Update}}})
			c.ReplayWith(dropped)
			require.NoError(t, env.engine.Wait(t.Context(), dropped.view.Synced.Var()))
			dropped = nil
			runtime.GC()
			runtime.GC()
			others := make([]*Tensor, 8)
			for i := range others {
				others[i] = filled(99)
			}
			require.NoError(t, env.engine.Wait(t.Context(), others[7].view.Synced.Var()))
			close(hold)
			require.True(t, slices.Equal(slices.Repeat([]float64{4}, count), valuesOf(t, outputs[0])))
			runtime.KeepAlive(others)
		}
		c.Release()
	}
}

func TestInputsOfAReplayAreOfTheKindsOfTheCapture(t *testing.T) {
	eachPlace(t, func(t *testing.T, env *Env) {
		x := vector(env, 1, 2, 3, 4)
		c := env.CaptureFunction([]*Tensor{x}, func(env *Env) []*Tensor { return Invoke(Mul, nil, x.In(env), x) })
		defer c.Release()
		for want, inputs := range map[string][]*Tensor{
			"2 inputs for a capture of a function of 1":               {vector(env, 1, 2, 3, 4), vector(env, 1)},
			"0 inputs for a capture of a function of 1":               {},
			"input 0 is float64 [2], that of the capture float64 [4]": {vector(env, 1, 2)},
			"input 0 is float32 [4], that of the capture float64 [4]": Invoke(Cast, CastParams{DType: dtype.Float32}, vector(env, 1, 2, 3, 4)),
		} {
			err := mistake(t, func() { c.ReplayWith(inputs...) })
			require.ErrorIs(t, err, fault.ErrMisuse)
			require.ErrorContains(t, err, want)
		}
	})
}
