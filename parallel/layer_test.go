package parallel

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLayersAreChosenByName(t *testing.T) {
	for text, want := range map[string]Layer{
		"workqueue": LayerWorkqueue, "goroutine": LayerGoroutine, "serial": LayerSerial, "SERIAL": LayerSerial,
		"default": LayerWorkqueue, "safe": LayerWorkqueue, "threadsafe": LayerWorkqueue,
		"tbb omp workqueue": LayerWorkqueue, "omp,serial": LayerSerial, "goroutine serial": LayerGoroutine, " serial\tdefault ": LayerSerial,
	} {
		layer, err := ParseLayer(text)
		require.NoError(t, err)
		require.Equal(t, want, layer, text)
	}
	for _, text := range []string{"forksafe", "queue", "work queue", "serial spin", "workqueue;serial"} {
		_, err := ParseLayer(text)
		require.ErrorContains(t, err, "is unknown: there are workqueue, goroutine, serial; any of them for default, safe, threadsafe")
	}
	for _, text := range []string{"tbb", "omp tbb", "", " "} {
		_, err := ParseLayer(text)
		require.ErrorContains(t, err, "no threading layer could be found for \""+text+"\": there are workqueue, goroutine, serial")
	}
}

// Numba's TestThreadingLayerPriority: the first of a list is taken, whatever the order of the others.
func TestTheFirstLayerOfAListIsTaken(t *testing.T) {
	for _, first := range layers {
		for _, second := range layers {
			for _, third := range layers {
				layer, err := ParseLayer(fmt.Sprint("tbb ", first, " ", second, ",", third))
				require.NoError(t, err)
				require.Equal(t, first, layer)
			}
		}
	}
}

func TestUnknownLayersPanic(t *testing.T) {
	require.Panics(t, func() { New(1, WithLayer("tbb")) })
	require.PanicsWithError(t, `weft: WEFT_THREADING_LAYER: the environment variable is "wrokqueue" (legal: workqueue, goroutine, serial; `+
		`any of them for default, safe, threadsafe)`, func() { defaultLayer("wrokqueue") })
	require.Equal(t, LayerWorkqueue, defaultLayer(""))
	require.Equal(t, LayerSerial, defaultLayer("serial"))
}

// TestTheProcessHasTheLayerOfItsEnvironment runs itself as processes of each layer.
func TestTheProcessHasTheLayerOfItsEnvironment(t *testing.T) {
	if want := os.Getenv("PARALLEL_TEST_LAYER"); want != "" {
		_, err := ThreadingLayer()
		require.EqualError(t, err, "parallel: the threading layer is not initialised")
		checkRegion(t, Default().Thread(), 100)
		layer, err := ThreadingLayer()
		require.NoError(t, err)
		require.Equal(t, Layer(want), layer)
		require.Equal(t, layer, Default().Layer())
		require.Equal(t, 3, Default().NumWorkers())
		return
	}
	for _, layer := range layers {
		command := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		command.Env = append(os.Environ(), "PARALLEL_TEST_LAYER="+string(layer), layerVariable+"=omp "+string(layer), threadsVariable+"=3", "GORACE=atexit_sleep_ms=0")
		output, err := command.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("an emulator runs this test, but cannot start another program: ", err)
		}
		require.NoError(t, err, "%s", output)
		require.True(t, strings.HasPrefix(string(output), "PASS"))
	}
}

// The goroutines that the regions of all callers start together are fewer than the workers.
func TestStartedGoroutinesAreBounded(t *testing.T) {
	severalProcessors(t)
	pool := New(3, WithLayer(LayerGoroutine))
	defer pool.Close()
	for range 100 {
		pool.Thread().For(8, func(outer *Thread, lo, hi int) {
			outer.For(8, func(*Thread, int, int) {
				pool.mutex.Lock()
				defer pool.mutex.Unlock()
				require.LessOrEqual(t, pool.started, 2)
				require.False(t, pool.launched.Load(), "the workers are for sources")
			})
		})
	}
	await(func() bool {
		pool.mutex.Lock()
		defer pool.mutex.Unlock()
		return pool.started == 0
	})
}

func TestForCostOfEveryLayer(t *testing.T) {
	severalProcessors(t)
	for _, layer := range layers {
		pool := New(2, WithLayer(layer))
		defer pool.Close()
		thread, calls := pool.Thread(), 0
		thread.ForCost(1000, 10, func(*Thread, int, int) { calls++ })
		if layer != LayerWorkqueue {
			require.Equal(t, 1, calls, "ten microseconds are not shared on layer %s", layer)
		}
		calls = 0
		require.NoError(t, thread.SetNumThreads(1))
		thread.ForCost(1000, 1e6, func(*Thread, int, int) { calls++ })
		require.Equal(t, 1, calls)
	}
	serial := New(2, WithLayer(LayerSerial)).Thread()
	calls := 0
	serial.ForCost(1000, 1e6, func(*Thread, int, int) { calls++ })
	require.Equal(t, 1, calls)
}
