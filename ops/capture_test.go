package ops

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/resource"
)

// eachPlace calls body for each kind of engine, on the host and on a simulated device.
func eachPlace(t *testing.T, body func(t *testing.T, env *Env)) {
	for _, kind := range []string{"perdevice", "pooled", "naive"} {
		for _, place := range []device.Device{device.CPU(0), device.Sim(0)} {
			t.Run(kind+" "+place.String(), func(t *testing.T) { body(t, newEnv(t, kind).WithDevice(place)) })
		}
	}
}

// recurrent changes state by x, with temporaries, temporary memory, and an operator that simulated devices have not.
func recurrent(env *Env, state, x *Tensor) *Tensor {
	scaled := Invoke(Mul, nil, state.In(env), x)[0]
	ordered := Invoke(ArgSort, SortParams{}, scaled)[0]
	sorted := Invoke(Take, TakeParams{0, "raise"}, scaled, ordered)[0]
	total := Invoke(Sum, ReduceParams{}, sorted)[0]
	InvokeInto(Add, nil, []*Tensor{state}, state.In(env), Invoke(Div, nil, sorted, total)[0])
	return total
}

func TestReplayDoesWhatTheCallsDid(t *testing.T) {
	eachPlace(t, func(t *testing.T, env *Env) {
		state, x := vector(env, 1, 2, 3), vector(env, 3, -1, 2)
		want := vector(env, 1, 2, 3)
		var total *Tensor
		c := env.Capture(func(env *Env) {
			total = recurrent(env, state, x)
		})
		recurrent(env, want, x)
		require.Equal(t, valuesOf(t, want), valuesOf(t, state), "the function runs as always")
		require.Equal(t, 6, c.Calls())
		for i := range 6 {
			if i == 3 { // written elsewhere: replicas of devices are filled again
				copied := vector(env.WithDevice(device.CPU(0)), 0.5, 4, 1)
				InvokeInto(Copy, nil, []*Tensor{x.In(copied.Env())}, copied)
			}
			last := recurrent(env, want, x)
			c.Replay()
			require.Equal(t, valuesOf(t, want), valuesOf(t, state))
			require.Equal(t, valuesOf(t, last), valuesOf(t, total))
		}
		c.Release()
		c.Release()
		require.ErrorIs(t, mistake(t, c.Replay), fault.ErrReleased)
		require.Equal(t, valuesOf(t, want), valuesOf(t, state), "what others hold stays")
	})
}

func TestReplaysDrawAnew(t *testing.T) {
	eachPlace(t, func(t *testing.T, env *Env) {
		draw := func(env *Env) *Tensor {
			noise := InvokeIn(env, Uniform, UniformParams{Shape: []int{5}, DType: dtype.Float32, High: 1})[0]
			return Invoke(Add, nil, noise, noise)[0]
		}
		var got *Tensor
		c := env.WithGenerator(resource.NewGenerator(7)).Capture(func(env *Env) { got = draw(env) })
		again := env.WithGenerator(resource.NewGenerator(7))
		want := draw(again)
		for range 3 {
			require.Equal(t, valuesOf(t, want), valuesOf(t, got))
			c.Replay()
			want = draw(again)
		}
	})
}

func TestReplaysByManyComeOneAfterAnother(t *testing.T) {
	eachPlace(t, func(t *testing.T, env *Env) {
		one, y := vector(env, 1), vector(env, 0)
		c := env.Capture(func(env *Env) {
			for range 3 {
				InvokeInto(Add, nil, []*Tensor{y}, y.In(env), one)
			}
		})
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 25 {
					c.Replay()
					InvokeInto(Add, nil, []*Tensor{y}, y, one)
				}
			})
		}
		all.Wait()
		require.Equal(t, []float64{3 + 4*25*4}, valuesOf(t, y))
	})
}

// TestACaptureKeepsWhatIsDiscarded discards temporaries, and closes the scope they belong to.
func TestACaptureKeepsWhatIsDiscarded(t *testing.T) {
	eachPlace(t, func(t *testing.T, env *Env) {
		large := array{dtype.Float32, []int{5000}, make([]float64, 5000), nil}.tensor(env)
		y, scoped, scope := vector(env, 1), *env, (*MemoryScope)(nil)
		var temporary *Tensor
		c := scoped.Capture(func(env *Env) {
			env, scope = env.WithMemoryScope()
			temporary = Invoke(Exp, nil, large.In(env))[0]
			total := Invoke(Sum, ReduceParams{}, temporary)[0]
			InvokeInto(Add, nil, []*Tensor{y}, y.In(env), total)
			temporary.Release()
			temporary.Discard(nil)
			scope.Close()
		})
		c.Replay()
		c.Replay()
		require.Equal(t, []float64{15001}, valuesOf(t, y))
		c.Release()
		require.NoError(t, env.Engine().WaitAll(context.Background()))
		require.ErrorIs(t, mistake(t, func() { Invoke(Neg, nil, temporary) }), fault.ErrReleased, "it was discarded, and nobody keeps it any more")
	})
}

func TestMistakesWithCapturesAreErrors(t *testing.T) {
	env := newEnv(t, "perdevice")
	x, y := vector(env, 1, 2), vector(env, 0, 0)
	require.ErrorIs(t, mistake(t, func() { env.Capture(nil) }), fault.ErrMisuse)
	require.PanicsWithValue(t, "mine", func() { env.Capture(func(*Env) { panic("mine") }) })
	env.Capture(func(inner *Env) {
		require.True(t, inner.Captures())
		require.ErrorIs(t, mistake(t, func() { inner.Capture(func(*Env) {}) }), fault.ErrMisuse)
		write := func([]byte) error { return nil }
		require.ErrorIs(t, mistake(t, func() { _ = Access(context.Background(), x.In(inner), engine.Write, false, fault.Here(0), write) }), fault.ErrMisuse)
		require.NoError(t, Access(context.Background(), x.In(inner), engine.Read, false, nil, write))
		env.Capture(func(other *Env) {
			require.ErrorIs(t, mistake(t, func() { Invoke(Add, nil, x.In(inner), y.In(other)) }), fault.ErrMisuse)
		})
		env = inner
	})
	require.False(t, env.Captures(), "the function has returned")
	c := env.Capture(func(env *Env) { InvokeInto(Add, nil, []*Tensor{y}, y.In(env), x) })
	recorder := &tape{}
	kept := Invoke(Square, nil, y.Watched(recorder, 0))
	require.ErrorIs(t, mistake(t, c.Replay), fault.ErrSaved)
	require.Equal(t, []float64{1, 2}, valuesOf(t, y), "nothing was done")
	require.NotNil(t, kept)
	for _, r := range recorder.records {
		r.Forget()
	}
	x.Release()
	require.ErrorIs(t, mistake(t, c.Replay), fault.ErrReleased)
	empty := env.Capture(func(*Env) {})
	empty.Replay()
	require.Zero(t, empty.Calls())
}

func TestAnErrorInAReplaySticksToWhatDependsOnIt(t *testing.T) {
	for _, place := range []device.Device{device.CPU(0), device.Sim(0)} {
		env := newEnv(t, "perdevice").WithDevice(place)
		index, x := array{dtype.Int64, []int{1}, []float64{1}, nil}.tensor(env), vector(env, 1, 2)
		var good, bad *Tensor
		c := env.Capture(func(env *Env) {
			good = Invoke(Neg, nil, x.In(env))[0]
			bad = Invoke(Neg, nil, Invoke(Take, TakeParams{0, "raise"}, x.In(env), index)[0])[0]
		})
		require.Equal(t, []float64{-2}, valuesOf(t, bad))
		InvokeInto(Add, nil, []*Tensor{index}, index, index)
		c.Replay()
		_, err := bytesOf(bad)
		require.ErrorIs(t, err, fault.ErrIndex)
		require.ErrorContains(t, err, "capture_test.go", "the line of the call")
		if place.OnHost() {
			require.Equal(t, []float64{-1, -2}, valuesOf(t, good))
		}
		InvokeInto(Sub, nil, []*Tensor{index}, index, array{dtype.Int64, []int{1}, []float64{1}, nil}.tensor(env))
		c.Replay()
		require.Equal(t, []float64{-2}, valuesOf(t, bad), "the next Replay writes it anew")
	}

}
