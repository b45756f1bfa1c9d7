package weft_test

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/random"
	"github.com/weft-nd/weft/storage"
)

func hostManager(t *testing.T) storage.Manager {
	m, err := storage.ManagerOf(device.CPU(0))
	require.NoError(t, err)
	return m
}

// settle collects what was dropped.
func settle() {
	for range 3 {
		runtime.GC()
		runtime.Gosched()
	}
}

func TestOutOfMemoryInStepThenTrimThenRepeat(t *testing.T) {
	manager := hostManager(t)
	for _, name := range []string{"naive", "pooled", "perdevice"} {
		t.Run(name, func(t *testing.T) {
			run := func(disturb bool) (bits []uint32, failures int) {
				e, err := engine.New(name)
				require.NoError(t, err)
				c := newClassifier(ops.NewEnv(e).WithSeed(5), 200, 400, 3)
				for i := range 12 {
					if disturb {
						// A limit with room for i more gradients of the first layer makes every step fail elsewhere.
						_ = e.WaitAll(context.Background()) // arrays of the step that failed may still be there
						settle()
						manager.Trim()
						manager.SetLimit(manager.Stats().InUse + int64(i)*(90<<10) + 1)
						err := c.step(i)
						manager.SetLimit(0)
						if err == nil {
							continue
						}
						require.ErrorIs(t, err, fault.ErrOutOfMemory)
						require.Regexp(t, `sgd was not run.*hard_autograd_test\.go`, err.Error())
						failures++
						manager.Trim()
					}
					require.NoError(t, c.step(i))
				}
				bits = c.bits(t)
				require.NoError(t, e.Close(context.Background()))
				return bits, failures
			}
			want, _ := run(false)
			got, failures := run(true)
			require.GreaterOrEqual(t, failures, 3)
			require.Equal(t, want, got)
		})
	}
}

func TestDroppedArraysStayBounded(t *testing.T) {
	count := 40_000
	if testing.Short() {
		count = 10_000
	}
	shared := hostManager(t)
	manager, err := storage.NewPooled(device.CPU(0)) // of its own: the peak of the other is that of all tests
	require.NoError(t, err)
	storage.SetManager(device.CPU(0), manager)
	defer storage.SetManager(device.CPU(0), shared)
	env := nd.DefaultEnv()
	keep := nd.OnesIn(env, dtype.Float32, 16<<10)
	settle()
	before := residentBytes(t)
	for i := range count {
		keep.AddScalar(float64(i)) // 64 KiB, dropped at once
	}
	require.NoError(t, keep.Wait(context.Background()))
	require.NoError(t, env.Engine().WaitAll(context.Background()))
	require.Less(t, manager.Stats().Peak, int64(256<<20))
	require.Less(t, residentBytes(t)-before, int64(512<<20)) // twice as much, for the race detector's own memory
	settle()
	manager.Trim()
	require.Less(t, manager.Stats().InUse, int64(64<<20))
}

// residentBytes returns the memory of the process that is in RAM; 0 where the system does not tell.
func residentBytes(t *testing.T) int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	require.NoError(t, err)
	return pages * int64(os.Getpagesize())
}

func TestReleaseUnderRunningOperator(t *testing.T) {
	withEngines(t, func(t *testing.T, e engine.Engine) {
		manager := hostManager(t)
		env := ops.NewEnv(e)
		const elements = 1 << 20
		a := nd.FullIn(env, dtype.Float32, 7, elements)
		require.NoError(t, a.Wait(context.Background()))
		settle()
		inUse := manager.Stats().InUse
		err := nd.Read(context.Background(), a, func(data []float32) error {
			later := a.AddScalar(1) // called before the release: runs
			a.Release()
			require.ErrorIs(t, nd.Try(func() { a.AddScalar(2) }), fault.ErrReleased)
			for i := 0; i < elements; i += 4096 {
				require.Equal(t, float32(7), data[i])
			}
			values, err := nd.Values[float32](later)
			require.Equal(t, float32(8), values[elements-1])
			return err
		})
		require.NoError(t, err)
		require.NoError(t, e.WaitAll(context.Background()))
		settle()
		require.Less(t, manager.Stats().InUse, inUse)
	})
}

func TestMemoryScopeLeavesWhatATapeHasSaved(t *testing.T) {
	env, scope := nd.WithMemoryScope(nd.DefaultEnv())
	tape := autograd.NewTape()
	x := tape.Watch(nd.OnesIn(env, dtype.Float32, 4))
	y := x.Exp()
	scope.Close()
	gradients := tape.Gradient(y.Sum(), x)
	values, err := nd.Values[float32](gradients[0])
	require.NoError(t, err)
	require.InDelta(t, 2.718282, values[0], 1e-5)
	tape.Close()
}

// Operators are pushed on arrays that are dropped at once, while the collector runs without a pause and freed memory is closed:
// memory that was freed under an operator would be an error, and memory that was given away a wrong sum.
func TestNothingIsFreedUnderARunningOperator(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	for _, sanitized := range []bool{false, true} {
		for _, name := range []string{"naive", "pooled", "perdevice"} {
			options := []engine.Option{}
			if sanitized {
				options = append(options, engine.WithSanitizer())
			}
			e, err := engine.New(name, options...)
			require.NoError(t, err)
			env, done := ops.NewEnv(e), make(chan struct{})
			var collecting, users sync.WaitGroup
			collecting.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						runtime.GC()
					}
				}
			})
			sums := make([]float32, 4)
			for user := range sums {
				users.Go(func() {
					x := nd.FullIn(env, dtype.Float32, float64(user), 10_000)
					for range rounds {
						y := x.AddScalar(1).MulScalar(2)
						y.Exp() // nobody waits for it
						x = y.MulScalar(0.5).Sub(nd.OnesIn(env, dtype.Float32, 10_000))
					}
					sum, err := nd.Item[float32](x.Sum())
					if err != nil {
						panic(err)
					}
					sums[user] = sum
				})
			}
			users.Wait()
			close(done)
			collecting.Wait()
			for user, sum := range sums {
				require.Equal(t, float32(user)*10_000, sum, name)
			}
			require.NoError(t, e.Close(context.Background()))
		}
	}
}

// A training loop drops all that a step makes: what is resident stays near the live set, at any number of steps.
func TestTrainingThatDropsItsArraysStaysNearItsLiveSet(t *testing.T) {
	const live, batch = 16 << 20, 64
	steps := 3000
	if testing.Short() {
		steps = 300
	}
	env := nd.DefaultEnv().WithSeed(1)
	images := random.Uniform(env, dtype.Float32, 0, 1, live/784/4, 784)
	weights := random.Normal(env, dtype.Float32, 0, 0.05, 784, 64)
	require.NoError(t, images.Wait(t.Context()))
	settle()
	storage.ReleaseAll()
	before, most := residentBytes(t), int64(0)
	for step := range steps {
		x := images.Index(nd.Span(step, step+batch)).MulScalar(0.5)
		hidden := x.MatMul(weights).Relu()
		gradient := x.T().MatMul(hidden.MulScalar(1e-6))
		nd.SubInto(weights, weights, gradient)
		require.NoError(t, weights.Wait(t.Context()))
		if step%50 == 0 {
			most = max(most, residentBytes(t)-before)
		}
	}
	require.Less(t, most, int64(live/2+192<<20)) // of some GiB that were dropped; bench.BenchmarkLifetime tells how near it stays
	runtime.KeepAlive(images)
}
