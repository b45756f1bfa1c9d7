package ops

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// TestInputsOfAReplayAreReadWhereTheyAreIfTheyLieInRows counts the copies.
func TestInputsOfAReplayAreReadWhereTheyAreIfTheyLieInRows(t *testing.T) {
	eachPlace(t, func(t *testing.T, env *Env) {
		var log order
		defer env.engine.Observe(&log)()
		square := func(c *Capture, x *Tensor, outputs []*Tensor) (copied bool) {
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
