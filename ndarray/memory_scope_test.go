package ndarray_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// released reports whether using a panics because its memory was given back.
func released(t *testing.T, a *nd.Array) bool {
	t.Helper()
	err := nd.Try(func() { a.AddScalar(1) })
	if err != nil {
		require.ErrorIs(t, err, fault.ErrReleased)
	}
	return err != nil
}

func TestMemoryScopeReleasesAllButWhatIsKept(t *testing.T) {
	parameter := nd.Ones[float32](300, 300)
	env, scope := nd.WithMemoryScope(nd.DefaultEnv())
	made := []*nd.Array{
		nd.FromSliceIn(env, make([]float32, 300), 300), nd.OnesIn(env, dtype.Float32, 300, 300), nd.AdoptIn(env, make([]float32, 9)),
	}
	made = append(made, made[0].Add(made[0]), made[1].Add(parameter), parameter.Add(made[1]))
	view := made[1].Index(nd.Span(0, 10))
	kept := parameter.MatMul(made[1])
	loss := kept.Sum()
	scope.Keep(kept, loss, parameter)
	scope.Close()
	scope.Close()
	for i, a := range append(made, view) {
		require.True(t, released(t, a), i)
	}
	for i, a := range []*nd.Array{parameter, kept, loss} {
		require.False(t, released(t, a), i)
	}
	value, err := nd.Item[float32](loss)
	require.NoError(t, err)
	require.Equal(t, float32(300*300*300), value, "operators called before Close have their operands")
	require.False(t, released(t, kept.AddScalar(1)), "after Close nothing belongs to the scope")
}

func TestMemoryScopesNest(t *testing.T) {
	outerEnv, outer := nd.WithMemoryScope(nd.DefaultEnv())
	a := nd.OnesIn(outerEnv, dtype.Float32, 4)
	innerEnv, inner := nd.WithMemoryScope(outerEnv)
	b := nd.OnesIn(innerEnv, dtype.Float32, 4)
	sum, back, kept := a.Add(b), b.Add(a), b.MulScalar(2)
	inner.Keep(kept)
	inner.Close()
	for _, x := range []*nd.Array{b, sum, back} {
		require.True(t, released(t, x), "results belong to the inner scope")
	}
	late := kept.AddScalar(1) // its Env still names the inner scope
	require.False(t, released(t, kept))
	outer.Close()
	for _, x := range []*nd.Array{a, kept, late} {
		require.True(t, released(t, x))
	}
}

// Steps in scopes give their memory back at once: nothing piles up for the collector.
func TestStepsInMemoryScopesKeepMemoryFlat(t *testing.T) {
	for _, kind := range []string{"naive", "pooled", "perdevice"} {
		e, err := engine.New(kind)
		require.NoError(t, err)
		place := device.CPU(40)
		m, err := storage.NewPooled(place)
		require.NoError(t, err)
		storage.SetManager(place, m)
		base := ops.NewEnv(e).WithDevice(place)
		w := nd.OnesIn(base, dtype.Float32, 256, 256)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for range 200 {
					env, scope := nd.WithMemoryScope(base)
					x := w.In(env).AddScalar(1)
					if err := x.MulScalar(2).Sub(x).Wait(t.Context()); err != nil {
						panic(err)
					}
					scope.Close()
				}
			})
		}
		all.Wait()
		require.NoError(t, e.WaitAll(t.Context()))
		require.LessOrEqual(t, m.Stats().Peak, int64(32<<20), kind)
		require.LessOrEqual(t, m.Stats().InUse, int64(256*256*4), kind)
		require.NoError(t, e.Close(t.Context()))
	}
}

func ExampleWithMemoryScope() {
	weights := nd.Full[float32](0.5, 3)
	for step := range 3 {
		env, scope := nd.WithMemoryScope(nd.DefaultEnv())
		x := nd.FromSliceIn(env, []float32{1, 2, 3})
		loss := weights.Mul(x).Sum() // in the scope, as x is
		value, err := nd.Item[float32](loss)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(step, value)
		scope.Close() // gives all of the step back, without waiting for the collector
	}
	// Output:
	// 0 3
	// 1 3
	// 2 3
}
