package ndarray_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	_ "github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/storage"
)

// onTightMemory runs test on every engine, with one worker and with two, and on devices whose manager has a limit of so many bytes.
func onTightMemory(t *testing.T, limit int64, test func(t *testing.T, ctx context.Context, env *ops.Env, m storage.Manager)) {
	for _, kind := range []string{"naive", "pooled", "perdevice", "shuffled"} {
		for _, workers := range []int{1, 2} {
			for _, d := range []device.Device{device.CPU(0), device.Sim(0)} {
				t.Run(fmt.Sprintf("%s/%d/%v", kind, workers, d), func(t *testing.T) {
					before, err := storage.ManagerOf(d)
					require.NoError(t, err)
					m, err := storage.NewPooled(d)
					require.NoError(t, err)
					m.SetLimit(limit)
					storage.SetManager(d, m)
					defer storage.SetManager(d, before)
					e, err := engine.New(kind, engine.WithPool(parallel.New(workers)))
					require.NoError(t, err)
					ctx, stop := context.WithTimeout(context.Background(), time.Minute) // it hangs if it takes that long
					defer stop()
					test(t, ctx, ops.NewEnv(e).WithDevice(d), m)
					require.NoError(t, e.Close(ctx))
					m.Trim()
				})
			}
		}
	}
}

// unit is the size of an array in these tests, in bytes; elements are its numbers of float32.
const (
	unit     = 256 << 10
	elements = unit / 4
)

// Arrays that were dropped are found when memory is short, however far ahead the pusher is.
func TestChainsFitInMemoryForAFewOfTheirArrays(t *testing.T) {
	steps := 30
	if testing.Short() {
		steps = 10
	}
	onTightMemory(t, 6*unit, func(t *testing.T, ctx context.Context, env *ops.Env, m storage.Manager) {
		x := nd.ZerosIn(env, dtype.Float32, elements)
		for range steps {
			x = x.AddScalar(1).MulScalar(2).MulScalar(0.5)
		}
		require.NoError(t, x.Wait(ctx))
		last, err := nd.Values[float32](x.Index(elements - 1))
		require.NoError(t, err)
		require.Equal(t, []float32{float32(steps)}, last)
		stats := m.Stats()
		require.LessOrEqual(t, stats.InUse+stats.Cached, stats.Limit)
	})
}

// Several goroutines, whose arrays fit together but not with those that they drop.
func TestGoroutinesShareTightMemory(t *testing.T) {
	steps := 10
	if testing.Short() {
		steps = 4
	}
	onTightMemory(t, 24*unit, func(t *testing.T, ctx context.Context, env *ops.Env, _ storage.Manager) {
		var all sync.WaitGroup
		for g := range 3 {
			all.Go(func() {
				x := nd.FullIn(env, dtype.Float32, float64(g), elements)
				for range steps {
					y := x.AddScalar(3)
					x = y.Sub(x.Add(x)).Add(x) // 3, whatever x was
					if err := x.Wait(ctx); err != nil {
						t.Errorf("goroutine %d: %v", g, err)
						return
					}
				}
				if last, err := nd.Values[float32](x.Index(7)); err != nil || last[0] != 3 {
					t.Errorf("goroutine %d: %v, %v", g, last, err)
				}
			})
		}
		all.Wait()
	})
}

// What can never fit fails, names what it wanted and who holds the rest, and hurts nobody else; with a higher limit it is made.
func TestWhatDoesNotFitFailsAndTheRunGoesOn(t *testing.T) {
	onTightMemory(t, 8*unit, func(t *testing.T, ctx context.Context, env *ops.Env, m storage.Manager) {
		x := nd.OnesIn(env, dtype.Float32, 1, elements)
		require.NoError(t, x.Wait(ctx))
		var large *nd.Array
		enlarge := func() { large = x.BroadcastTo(16, elements).AddScalar(1) }
		enlarge()
		follower := large.MulScalar(2)
		beside := x.AddScalar(5)
		for range 2 {
			for _, a := range []*nd.Array{large, follower} {
				err := a.Wait(ctx)
				require.ErrorIs(t, err, fault.ErrOutOfMemory)
				for _, part := range []string{
					"4194304 bytes (4.0 MiB) asked for", "limit of 2097152 bytes (2.0 MiB)", "the largest holders: ", "made at out_of_memory_test.go:",
					lineOf(enlarge),
				} {
					require.ErrorContains(t, err, part)
				}
			}
		}
		five, err := nd.Values[float32](beside.Reshape(-1).Index(3))
		require.NoError(t, err)
		require.Equal(t, []float32{6}, five)

		m.Trim()
		m.SetLimit(64 * unit)
		require.ErrorIs(t, large.Wait(ctx), fault.ErrOutOfMemory, "errors stick")
		enlarge()
		two, err := nd.Values[float32](large.Reshape(-1).Index(16*elements - 1))
		require.NoError(t, err)
		require.Equal(t, []float32{2}, two)
	})
}

// Data that the program brings waits for memory that operators pushed before leave when they are done.
func TestDataFitsOnceWhatIsPushedIsDone(t *testing.T) {
	onTightMemory(t, 5*unit, func(t *testing.T, ctx context.Context, env *ops.Env, _ storage.Manager) {
		func() {
			first := nd.OnesIn(env, dtype.Float32, elements)
			held := []*nd.Array{nd.OnesIn(env, dtype.Float32, elements), nd.OnesIn(env, dtype.Float32, elements), nd.OnesIn(env, dtype.Float32, elements)}
			require.NoError(t, env.Engine().WaitAll(ctx))
			env.Engine().Push(&engine.Operation{
				Name: "long", Accesses: []engine.Access{{Var: (*ops.Tensor)(first).View().Synced.Var(), Mode: engine.Update}},
				Function: engine.FunctionOf(func(*engine.RunContext) error {
					for range 20 { // longer than a look for what was dropped
						runtime.GC()
					}
					return nil
				}),
			})
			for _, a := range held {
				nd.AddInto(a, first, a)
			}
		}()
		var x *nd.Array
		require.NoError(t, nd.Try(func() { x = nd.FromSliceIn(env, make([]float32, 2*elements)) }))
		require.NoError(t, x.Wait(ctx))
	})
}
