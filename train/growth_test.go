package train_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/storage"
	"github.com/weft-nd/weft/train"
)

// usage is what a process holds, and how fast it is.
type usage struct {
	goroutines int
	heap       uint64 // bytes that live
	memory     int64  // bytes of arrays
	resident   int64  // bytes that the system has given; zero where it does not tell
	step       time.Duration
}

func TestManyEpochsGrowNothing(t *testing.T) { ways(t, growNothing) }

func growNothing(t *testing.T, way func(*train.Trainer)) {
	epochs := 300 // Of these the first hundred meet what a process keeps: pools of memory, and the heap that its collector is used to.
	if testing.Short() {
		epochs = 20
	}
	folder := t.TempDir()
	var early, late usage
	fastest, begun := time.Hour, time.Time{}
	watch := train.Func(func(_ context.Context, e *train.Event) error {
		switch e.Kind {
		case train.Stepped:
			if !begun.IsZero() {
				fastest = min(fastest, time.Since(begun)) // what others on the machine do makes steps slower alone
			}
			begun = time.Now()
		case train.EpochEnded:
			begun = time.Time{}
			switch e.Epoch {
			case epochs * 2 / 10, epochs * 8 / 10:
				fastest = time.Hour
			case epochs * 4 / 10:
				early = measured(t, fastest)
			case epochs:
				late = measured(t, fastest)
			}
		}
		return nil
	})
	wide := func(tr *train.Trainer) { // so that arrays do not lie in objects of Go alone
		env := tr.Env
		tr.Model = nn.NewSequential(nn.NewDense(env, features, 4000), nn.Relu, nn.NewDropout(0.5), nn.NewDense(env, 4000, classes))
		tr.Optimiser = optim.NewSGD(nn.Params(tr.Model), 0.001, optim.Momentum(0.9))
	}
	fit(t, newTrainer(way, wide, at(filepath.Join(folder, "checkpoint.npz"), 50), with(train.NewLog(filepath.Join(folder, "log"))), with(watch)), epochs)
	t.Logf("early %+v, late %+v", early, late)
	require.LessOrEqual(t, late.goroutines, early.goroutines+2)
	require.Less(t, late.heap, early.heap+1<<20)
	require.LessOrEqual(t, late.memory, early.memory+1<<20)
	if !testing.Short() { // In a few epochs a process still gets what it keeps, and a busy machine makes all steps slower.
		require.LessOrEqual(t, late.resident, early.resident+8<<20)
		require.Less(t, late.step, 2*early.step)
	}
}

// residentBytes reads what /proc tells of the process.
func residentBytes() (bytes int64) {
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		var all, pages int64
		if _, err := fmt.Sscan(string(text), &all, &pages); err == nil {
			return pages * int64(os.Getpagesize())
		}
	}
	return 0
}

// measured returns the usage when the garbage of before is collected, and what the pool of arrays keeps has gone back: that
// depends on how far pushing ran ahead of computing.
func measured(t *testing.T, step time.Duration) (u usage) {
	t.Helper()
	if err := nd.DefaultEnv().Engine().WaitAll(context.Background()); err != nil {
		t.Log("an operation of another test failed: ", err) // Tests share the default engine.
	}
	for range 3 { // what a collection finds dead may hold what the next one finds
		debug.FreeOSMemory()
	}
	pool, err := storage.ManagerOf(device.CPU(0))
	require.NoError(t, err)
	pool.Trim()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	u = usage{goroutines: runtime.NumGoroutine(), heap: stats.HeapAlloc, resident: residentBytes(), step: step}
	for _, device := range storage.Usage() {
		u.memory += device.InUse
	}
	return u
}
