package weft_test

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
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
	count := 100_000
	if testing.Short() {
		count = 20_000
	}
	manager := hostManager(t)
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
