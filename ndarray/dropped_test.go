package ndarray_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/storage"
)

// A program that runs far ahead of its operators drops arrays before they have any memory. The collector finds that once, and each takes memory
// from the call that makes it to the last that reads it.
func TestAChainThatIsDroppedBeforeItRunsTakesMemoryForAFewOfItsArrays(t *testing.T) {
	const steps = 40
	for _, kind := range []string{"pooled", "perdevice"} {
		for name, c := range map[string]struct {
			results uint64 // arrays that a step computes
			step    func(x *nd.Array) *nd.Array
		}{
			"element by element": {1, func(x *nd.Array) *nd.Array { return x.AddScalar(1) }},
			"views":              {1, func(x *nd.Array) *nd.Array { return x.Reshape(256, -1).T().Add(x.Reshape(-1, 256)).Reshape(-1) }},
			"parts": {2, func(x *nd.Array) *nd.Array { // of which columns are not adjacent, and are copied
				return x.Index(nd.Span(0, nd.Open)).AddScalar(1).Reshape(256, -1).T().Reshape(-1)
			}},
			"into arrays that are there": {1, func(x *nd.Array) *nd.Array {
				y := nd.ZerosIn(x.Env(), dtype.Float32, 1<<16)
				nd.AddInto(y, x, x)
				return y
			}},
			"five operands": {1, func(x *nd.Array) *nd.Array {
				return nd.Concat(0, x.Index(":5"), x.Index("5:10"), x.Index("10:15"), x.Index("15:20"), x.Index("20:"))
			}},
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				before, err := storage.ManagerOf(device.CPU(0))
				require.NoError(t, err)
				m, err := storage.NewNaive(device.CPU(0))
				require.NoError(t, err)
				storage.SetManager(device.CPU(0), m)
				defer storage.SetManager(device.CPU(0), before)
				e, err := engine.New(kind, engine.WithPool(parallel.New(2)))
				require.NoError(t, err)
				ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
				defer stop()
				x := nd.ZerosIn(ops.NewEnv(e), dtype.Float32, 1<<16)
				require.NoError(t, x.Wait(ctx))
				require.NoError(t, e.Stop(ctx))
				pushed := e.Stats().Pushed
				for range steps {
					x = c.step(x)
				}
				pushed += 2 * steps * c.results // with the release of all but the last, and of the zeros
				require.Eventually(t, func() bool { runtime.GC(); return e.Stats().Pushed >= pushed }, 4*time.Minute, time.Millisecond)
				e.Start()
				require.NoError(t, x.Wait(ctx))
				require.LessOrEqual(t, m.Stats().Peak, int64(4*4<<16))
				require.NoError(t, e.Close(ctx))
			})
		}
	}
}

// Arrays whose handles are gone give their memory back while the collector runs all the time; what is computed of them, and what others wait for,
// is as it is without.
func TestResultsAreThoseOfArraysThatAreDroppedAsSoonAsTheyAreUsed(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 8
	}
	env := ops.NewEnv(newEngine(t))
	ended := make(chan struct{})
	var collecting, users sync.WaitGroup
	collecting.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
				runtime.GC()
			}
		}
	})
	for g := range 3 {
		users.Go(func() {
			for range rounds {
				x := nd.FullIn(env, dtype.Float32, float64(g), 20_000)
				for range 10 {
					x = x.AddScalar(1).Mul(x.AddScalar(2)).Sub(x.Square()).Sub(x.MulScalar(2)) // x + 2
				}
				if err := x.Index("100:").Add(x.Index(":-100")).Wait(t.Context()); err != nil {
					t.Error(err)
				}
				values, err := nd.Values[float32](x.Index(":5"))
				if err != nil || values[4] != float32(g)+20 {
					t.Error(values, err)
				}
			}
		})
	}
	users.Wait()
	close(ended)
	collecting.Wait()
}

func newEngine(t *testing.T) engine.Engine {
	e, err := engine.New("perdevice", engine.WithPool(parallel.New(2)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close(context.Background())) })
	return e
}

// What is made of a small array has its own shape: it does not keep the memory of the other.
func TestResultsDoNotKeepTheSmallArraysThatTheyAreMadeOf(t *testing.T) {
	env := ops.NewEnv(newEngine(t))
	for name, call := range map[string]func(x *nd.Array) *nd.Array{
		"by a shortcut":  func(x *nd.Array) *nd.Array { return x.AddScalar(1) },
		"large":          func(x *nd.Array) *nd.Array { return x.Cast(dtype.Complex128) },
		"at rest":        func(x *nd.Array) *nd.Array { return x.Softmax(1) },
		"of another one": func(x *nd.Array) *nd.Array { return nd.Complex(x, x.Index(nd.Rest)) },
	} {
		t.Run(name, func(t *testing.T) {
			collected := func() <-chan struct{} {
				done := make(chan struct{})
				x := nd.FullIn(env, dtype.Float32, 1, 60, 60)
				runtime.AddCleanup(x, func(done chan struct{}) { close(done) }, done)
				y := call(x)
				require.NoError(t, y.Wait(t.Context()))
				t.Cleanup(func() { runtime.KeepAlive(y) })
				return done
			}()
			require.Eventually(t, func() bool {
				runtime.GC()
				select {
				case <-collected:
					return true
				default:
					return false
				}
			}, time.Minute, time.Millisecond)
		})
	}
}
