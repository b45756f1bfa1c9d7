package ops

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

func float64s(data []byte) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/8)
}

func TestAccessReadsAndWritesInTheOrderOfTheCalls(t *testing.T) {
	for _, kind := range []string{"perdevice", "naive"} {
		env := newEnv(t, kind)
		for _, place := range []*Env{env, simOf(env)} {
			for _, mode := range []engine.Mode{engine.Update, engine.Write} {
				x := Invoke(Neg, nil, vector(place, -1, -2))[0]
				before := Invoke(Copy, nil, x)[0]
				require.NoError(t, Access(context.Background(), x, mode, true, nil, func(data []byte) error {
					copy(float64s(data), []float64{10, 20})
					return nil
				}))
				require.Equal(t, []float64{11, 21}, valuesOf(t, Invoke(Add, nil, x, Scalar(env, 1, dtype.Float64))[0]))
				require.Equal(t, []float64{1, 2}, valuesOf(t, before))
			}
		}
	}
}

func TestAccessOfAPartLeavesTheRestAlone(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, mode := range []engine.Mode{engine.Update, engine.Write} {
		for _, place := range []*Env{env, simOf(env)} {
			x := Invoke(Neg, nil, vector(place, -1, -2, -3))[0]
			part := Invoke(Slice, SliceParams{spans(1, 1, 1)}, x)[0]
			require.NoError(t, Access(context.Background(), part, mode, false, nil, func(data []byte) error {
				require.Len(t, data, 8)
				float64s(data)[0] = 9
				return nil
			}))
			require.Equal(t, []float64{1, 9, 3}, valuesOf(t, x))
		}
	}
}

func TestAccessOfNothingAndOfNeverWrittenMemory(t *testing.T) {
	env := newEnv(t, "perdevice")
	called := 0
	for _, shape := range [][]int{{0}, {2, 0}} {
		require.NoError(t, Access(context.Background(), newArray(dtype.Float64, shape).tensor(env), engine.Update, false, nil, func(data []byte) error {
			require.Empty(t, data)
			called++
			return nil
		}))
	}
	require.Equal(t, 2, called)
}

func TestAccessNeedsContiguousMemory(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := newArray(dtype.Float64, []int{2, 2}).placed(env, backward)
	e := mistake(t, func() {
		Access(context.Background(), x, engine.Read, false, fault.Here(0), func([]byte) error { return nil })
	})
	require.ErrorContains(t, e, "not contiguous")
}

func TestReadersShareAndWritersDoNot(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := vector(env, 0)
	var meeting, running sync.WaitGroup
	meeting.Add(2)
	for range 2 {
		running.Go(func() {
			require.NoError(t, Access(context.Background(), x, engine.Read, true, nil, func([]byte) error {
				meeting.Done()
				meeting.Wait() // ends only if both readers are inside
				return nil
			}))
		})
	}
	running.Wait()
	for range 8 {
		running.Go(func() {
			for range 20 {
				require.NoError(t, Access(context.Background(), x, engine.Update, true, nil, func(data []byte) error {
					float64s(data)[0]++
					return nil
				}))
			}
		})
	}
	running.Wait()
	require.Equal(t, []float64{160}, valuesOf(t, x))
}

func TestErrorsOfVisitsOfWritesStick(t *testing.T) {
	env := newEnv(t, "perdevice")
	reason := errors.New("the file ended")
	x := vector(env, 1)
	require.ErrorIs(t, Access(context.Background(), x, engine.Read, true, nil, func([]byte) error { return reason }), reason)
	require.Equal(t, []float64{1}, valuesOf(t, x), "a reader leaves nothing")
	require.ErrorIs(t, Access(context.Background(), x, engine.Update, true, nil, func([]byte) error { return reason }), reason)
	for range 2 {
		require.ErrorIs(t, x.Wait(context.Background()), reason)
		_, err := bytesOf(x)
		require.ErrorIs(t, err, reason)
	}
	called := false
	visit := func([]byte) error {
		called = true
		return nil
	}
	require.ErrorIs(t, Access(context.Background(), x, engine.Read, true, nil, visit), reason)
	require.ErrorIs(t, Access(context.Background(), x, engine.Update, true, nil, visit), reason)
	require.False(t, called)
	require.NoError(t, Access(context.Background(), x, engine.Write, true, nil, visit), "a write of all cures")
	require.NoError(t, x.Wait(context.Background()))
}

func TestAccessThatNeverStartedLeavesTheArrayAsItIs(t *testing.T) {
	for _, kind := range []string{"perdevice", "naive"} {
		env := newEnv(t, kind)
		x, release := blocked(t, env)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		for _, mode := range []engine.Mode{engine.Read, engine.Update} {
			require.ErrorIs(t, Access(ctx, x, mode, true, nil, func([]byte) error { panic("called") }), context.Canceled)
		}
		release()
		require.Equal(t, []float64{1}, valuesOf(t, x))
	}
}

// TestAccessWaitsForAVisitThatHasStarted cancels from inside of the visit.
func TestAccessWaitsForAVisitThatHasStarted(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := vector(env, 1, 2)
	for range 100 {
		ctx, cancel := context.WithCancel(context.Background())
		seen := []float64{}
		require.NoError(t, Access(ctx, x, engine.Read, true, nil, func(data []byte) error {
			cancel()
			for range 100 {
				seen = slices.Clone(float64s(data))
			}
			return nil
		}))
		require.Equal(t, []float64{1, 2}, seen)
	}
}
