package parallel

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// onEachProcessor runs test on each processor that the process may use, in a thread that stays there.
func onEachProcessor(t *testing.T, test func(processor int)) {
	if !knowsProcessor {
		t.Skip("the processor is not known here")
	}
	var all unix.CPUSet
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	require.NoError(t, unix.SchedGetaffinity(0, &all))
	defer func() { require.NoError(t, unix.SchedSetaffinity(0, &all)) }()
	for processor := range 8 * len(all) * 8 {
		if all.IsSet(processor) {
			var one unix.CPUSet
			one.Set(processor)
			require.NoError(t, unix.SchedSetaffinity(0, &one))
			test(processor)
		}
	}
}

func TestProcessorsAreThoseOfTheSystem(t *testing.T) {
	onEachProcessor(t, func(processor int) { require.Equal(t, processor, placeOf(-1)) })
}

func TestProcessorsHaveTheSameLotInEveryRegion(t *testing.T) {
	pool := newPool(t, 2)
	thread := pool.Thread()
	onEachProcessor(t, func(processor int) {
		launcher := unix.Gettid()
		for range 20 {
			lots := make([]int, 2) // who had a lot first
			thread.For(2, func(inner *Thread, lo, _ int) {
				lots[lo] = unix.Gettid()
			})
			require.Equal(t, launcher, lots[processor%2])
		}
	})
}
