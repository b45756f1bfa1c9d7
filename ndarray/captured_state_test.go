package ndarray_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// TestUpdatesThatAReplayWouldGetWrongAreErrorsAtTheCallThatCaptures has arrays that the function makes or updates outside of the Env it gets.
func TestUpdatesThatAReplayWouldGetWrongAreErrorsAtTheCallThatCaptures(t *testing.T) {
	average, weight := nd.FromSlice([]float64{0, 0, 0}), nd.Ones[float64](3).AddScalar(1)
	fresh := func(make func(env *nd.Env) *nd.Array) func(env *nd.Env, in []*nd.Array) []*nd.Array {
		return func(env *nd.Env, in []*nd.Array) []*nd.Array {
			sum := make(env)
			nd.AddInto(sum, sum, in[0])
			return []*nd.Array{sum.MulScalar(1).In(env)}
		}
	}
	const left = "would find there what the last has left"
	for name, c := range map[string]struct {
		function func(env *nd.Env, in []*nd.Array) []*nd.Array
		text     string
	}{
		"an average decays outside": {func(_ *nd.Env, in []*nd.Array) []*nd.Array {
			nd.MulInto(average, average, nd.FromSlice([]float64{0.9}))
			nd.AddInto(average, average, in[0])
			return []*nd.Array{in[0].Add(average)}
		}, "is also written at captured_state_test.go"},
		"an average decays outside in two calls": {func(_ *nd.Env, in []*nd.Array) []*nd.Array {
			nd.AddInto(average, average, in[0])
			nd.CopyInto(average, average.MulScalar(0.9))
			return []*nd.Array{in[0]}
		}, "is also written at captured_state_test.go"},
		"an element is set outside": {func(_ *nd.Env, in []*nd.Array) []*nd.Array {
			nd.Set(average, 5.0, 0)
			nd.AddInto(average, average, in[0])
			return []*nd.Array{in[0].Add(average)}
		}, "is also written at captured_state_test.go"},
		"a buffer is filled outside": {func(_ *nd.Env, in []*nd.Array) []*nd.Array {
			buffer := nd.Zeros[float64](3)
			nd.AddInto(buffer, buffer, weight)
			return []*nd.Array{in[0].Add(buffer)}
		}, "add: operand 1 was computed at captured_state_test.go"},
		"a sum from Zeros":       {fresh(func(*nd.Env) *nd.Array { return nd.Zeros[float64](3) }), left},
		"a sum from ZerosLike":   {fresh(func(*nd.Env) *nd.Array { return nd.ZerosLike(weight) }), left},
		"a sum from Full":        {fresh(func(*nd.Env) *nd.Array { return nd.Full(2.0, 3) }), left},
		"a sum from FromSliceIn": {fresh(func(env *nd.Env) *nd.Array { return nd.FromSliceIn(env, []float64{1, 2, 3}) }), left},
		"a sum that is replaced": {func(_ *nd.Env, in []*nd.Array) []*nd.Array {
			sum := nd.Zeros[float64](3)
			nd.CopyInto(sum, sum.Add(in[0]).Tanh())
			return []*nd.Array{sum.Add(in[0])}
		}, left},
	} {
		t.Run(name, func(t *testing.T) {
			captured := nd.NewCaptured(nd.DefaultEnv(), c.function)
			defer captured.Release()
			x := nd.FromSlice([]float64{1, 2, 3})
			captured.Call(x)
			for range 2 {
				err := nd.Try(func() { captured.Call(x) })
				require.ErrorIs(t, err, fault.ErrMisuse)
				require.ErrorContains(t, err, c.text)
			}
		})
	}
}

// TestCapturedFunctionsMayUpdateWhatEachCallMakesAnewOrKeeps has functions that a replay gets right.
func TestCapturedFunctionsMayUpdateWhatEachCallMakesAnewOrKeeps(t *testing.T) {
	for name, make := range map[string]func() func(env *nd.Env, in []*nd.Array) []*nd.Array{
		"a sum from ZerosIn": func() func(env *nd.Env, in []*nd.Array) []*nd.Array {
			return func(env *nd.Env, in []*nd.Array) []*nd.Array {
				sum := nd.ZerosIn(env, dtype.Float64, 3)
				nd.AddInto(sum, sum, in[0])
				return []*nd.Array{sum}
			}
		},
		"a sum from a copy": func() func(env *nd.Env, in []*nd.Array) []*nd.Array {
			return func(env *nd.Env, in []*nd.Array) []*nd.Array {
				sum := nd.FromSlice([]float64{1, 2, 3}).In(env).Copy()
				nd.AddInto(sum, sum, in[0])
				return []*nd.Array{sum}
			}
		},
		"a buffer that is padded": func() func(env *nd.Env, in []*nd.Array) []*nd.Array {
			return func(env *nd.Env, in []*nd.Array) []*nd.Array {
				padded := nd.Zeros[float64](5)
				nd.CopyInto(padded.Index(nd.Span(1, 4)), in[0])
				return []*nd.Array{padded.In(env).MulScalar(2)}
			}
		},
		"rows that follow from those before": func() func(env *nd.Env, in []*nd.Array) []*nd.Array {
			return func(_ *nd.Env, in []*nd.Array) []*nd.Array {
				rows := nd.Zeros[float64](4, 3)
				for i := range 3 {
					nd.AddInto(rows.Index(nd.Span(i+1, i+2)), rows.Index(nd.Span(i, i+1)), in[0])
				}
				return []*nd.Array{rows.In(in[0].Env()).MulScalar(1)}
			}
		},
		"a state": func() func(env *nd.Env, in []*nd.Array) []*nd.Array {
			state := nd.Zeros[float64](3)
			return func(env *nd.Env, in []*nd.Array) []*nd.Array {
				kept := state.In(env)
				nd.MulInto(kept, kept, nd.FromSlice([]float64{0.5}))
				nd.AddInto(state, state, in[0])
				return []*nd.Array{in[0].Add(state)}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			function, captured := make(), nd.NewCaptured(nd.DefaultEnv(), make())
			defer captured.Release()
			for i := range 6 {
				x := nd.FromSlice([]float64{float64(i), 1, 2})
				require.Equal(t, values64(t, function(nd.DefaultEnv(), []*nd.Array{x})[0]), values64(t, captured.Call(x)[0]), "call %d", i)
			}
		})
	}
}

// TestAStateMayBeWrittenByCallsOfOtherKindsWhileOneIsCaptured calls a function that counts with inputs of many kinds at the same time.
func TestAStateMayBeWrittenByCallsOfOtherKindsWhileOneIsCaptured(t *testing.T) {
	const kinds, calls = 6, 4
	total := nd.Zeros[float64]()
	c := nd.NewCaptured(nd.DefaultEnv(), func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		sum := in[0].Sum()
		nd.AddInto(total, total, sum)
		return []*nd.Array{sum}
	})
	defer c.Release()
	var all sync.WaitGroup
	for kind := range kinds {
		all.Go(func() {
			for range calls {
				if err := nd.Try(func() { c.Call(nd.Ones[float64](kind + 1)) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, []float64{calls * kinds * (kinds + 1) / 2}, values64(t, total))
}
