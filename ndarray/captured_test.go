package ndarray_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	_ "github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// noise draws numbers from 0 to 1.
func noise(env *nd.Env, count int) *nd.Array {
	return (*nd.Array)(ops.InvokeIn(env, ops.Uniform, ops.UniformParams{Shape: []int{count}, DType: dtype.Float64, High: 1})[0])
}

// moments returns the sum of squares of an array, and its last element plus noise of the generator of env.
func moments(env *nd.Env, inputs []*nd.Array) []*nd.Array {
	x := inputs[0]
	drawn := noise(env.WithDevice(x.Device()), 1)
	return []*nd.Array{x.Square().Sum(), x.Index(nd.Span(-1, x.Shape()[0])).Add(drawn)}
}

func TestACapturedFunctionGivesWhatTheFunctionGives(t *testing.T) {
	for _, place := range []device.Device{device.CPU(0), device.Sim(0)} {
		t.Run(place.String(), func(t *testing.T) {
			env := nd.DefaultEnv().WithDevice(place)
			plain, captured := env.WithSeed(3), env.WithSeed(3)
			c := nd.NewCaptured(captured, moments)
			defer c.Release()
			for i := range 40 {
				values := make([]float64, 1+i%10) // of two of these kinds more than have a capture
				for j := range values {
					values[j] = float64(i*j) / 7
				}
				x := nd.FromSliceIn(env, values, len(values))
				want, got := moments(plain, []*nd.Array{x}), c.Call(x)
				require.Len(t, got, len(want))
				for j := range want {
					require.Equal(t, values64(t, want[j]), values64(t, got[j]), "call %d, result %d", i, j)
					require.Same(t, captured, got[j].Env())
				}
				require.Equal(t, values, values64(t, x), "the input is left alone")
			}
		})
	}
}

func values64(t *testing.T, a *nd.Array) []float64 {
	t.Helper()
	values, err := nd.Values[float64](a)
	require.NoError(t, err)
	return values
}

func TestResultsOfACapturedFunctionAreOverwrittenByTheNextCall(t *testing.T) {
	c := nd.NewCaptured(nd.DefaultEnv(), func(_ *nd.Env, in []*nd.Array) []*nd.Array { return []*nd.Array{in[0].Add(in[1])} })
	state, one := nd.FromSlice([]float64{0}), nd.FromSlice([]float64{1})
	var results []*nd.Array
	for i := range 5 {
		state = c.Call(state, one)[0] // which is an input of the next
		require.Equal(t, []float64{float64(i + 1)}, values64(t, state))
		results = append(results, state)
	}
	require.NotSame(t, results[0], results[1])
	require.Same(t, results[1], results[2])
	c.Release()
	c.Release()
	require.Equal(t, []float64{5}, values64(t, results[4]), "what others hold stays")
	require.ErrorIs(t, nd.Try(func() { c.Call(state, one) }), fault.ErrReleased)
}

// TestInputsThatACapturedFunctionReturnsAreResultsLikeOthers feeds results back, which are inputs in another order, and parts of them.
func TestInputsThatACapturedFunctionReturnsAreResultsLikeOthers(t *testing.T) {
	step := func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		x, before := in[0], in[1]
		return []*nd.Array{x.Add(x).Sub(before).Add(x.Reshape(2).Mul(x)), x, before.Reshape(1, 2)}
	}
	c := nd.NewCaptured(nd.DefaultEnv(), step)
	defer c.Release()
	got, want := []*nd.Array{nd.FromSlice([]float64{1, 2}), nd.FromSlice([]float64{3, 5})}, []*nd.Array{nd.FromSlice([]float64{1, 2}), nd.FromSlice([]float64{3, 5})}
	for range 4 {
		got, want = c.Call(got[:2]...), step(nil, want)
		for i := range want {
			require.Equal(t, values64(t, want[i]), values64(t, got[i]))
		}
	}
}

// TestErrorsOfACapturedFunctionAreThoseOfOneCall has inputs in error, and indices out of range.
func TestErrorsOfACapturedFunctionAreThoseOfOneCall(t *testing.T) {
	for _, place := range []device.Device{device.CPU(0), device.Sim(0)} {
		env := nd.DefaultEnv().WithDevice(place)
		c := nd.NewCaptured(env, func(_ *nd.Env, in []*nd.Array) []*nd.Array {
			return []*nd.Array{in[0].Take(in[1], 0).MulScalar(2)}
		})
		x := nd.FromSliceIn(env, []float64{1, 2, 3}, 3)
		at := func(i int64) *nd.Array { return nd.FromSliceIn(env, []int64{i}, 1) }
		for i := range 4 { // when it is called, captured, and replayed
			_, err := nd.Values[float64](c.Call(x, at(3))[0])
			require.ErrorIs(t, err, fault.ErrIndex, "call %d", i)
			require.ErrorContains(t, err, "captured_test.go")
			_, err = nd.Values[float64](c.Call(x.Take(at(7), 0).Add(x), at(1))[0])
			require.ErrorIs(t, err, fault.ErrIndex, "call %d", i)
			require.Equal(t, []float64{4}, values64(t, c.Call(x, at(1))[0]), "the next call is a new one")
		}
	}
}

func TestErrorsOfPartsAreThoseOfThePartsInACapturedFunction(t *testing.T) {
	f := nd.NewCaptured(nd.DefaultEnv(), func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		base := in[0].Copy()
		first, second := base.Index(nd.Span(0, 4)), base.Index(nd.Span(4, 8))
		nd.AddAlongAxisInto(first, first, in[1], nd.FromSlice([]float32{1}, 1), 0)
		more := second.AddScalar(1)
		nd.CopyInto(first.Index(nd.Span(0, 2)), second.Index(nd.Span(0, 2)))
		return []*nd.Array{first, second, more, first.Index(nd.Span(0, 2)).Copy()}
	})
	x := floats(8)
	for round := range 5 {
		place := int64(100)
		if round == 3 {
			place = 0
		}
		results := f.Call(x, nd.FromSlice([]int64{place}, 1))
		_, err := nd.Values[float32](results[0])
		if round == 3 {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "index 100", "round %d", round)
		}
		require.Equal(t, []float32{4, 5, 6, 7}, values[float32](t, results[1]), "round %d", round)
		require.Equal(t, []float32{5, 6, 7, 8}, values[float32](t, results[2]), "round %d", round)
		require.Equal(t, []float32{4, 5}, values[float32](t, results[3]), "round %d", round)
	}
}

func TestMistakesInCapturedFunctionsAreErrorsAtTheCallThatCaptures(t *testing.T) {
	env := nd.DefaultEnv()
	weight := nd.Ones[float64](3)
	nd.AddInto(weight, weight, nd.Ones[float64](3)) // as an optimiser does
	calls := 0
	for name, c := range map[string]struct {
		function func(env *nd.Env, in []*nd.Array) []*nd.Array
		text     string
	}{
		"computes outside": {func(_ *nd.Env, in []*nd.Array) []*nd.Array {
			return []*nd.Array{in[0].Add(weight.Square().AddScalar(1))}
		}, "add: operand 1 was computed at "},
		"draws outside": {func(*nd.Env, []*nd.Array) []*nd.Array {
			return []*nd.Array{noise(env, 3)}
		}, "output 0 was computed at "},
		"writes to an input": {func(_ *nd.Env, in []*nd.Array) []*nd.Array {
			nd.AddInto(in[0], in[0], weight)
			return in
		}, "writes to its input 0"},
		"gives other shapes": {func(_ *nd.Env, in []*nd.Array) []*nd.Array {
			calls++
			return []*nd.Array{in[0].Index(nd.Span(calls%2, 3))}
		}, "returned [float64 (3,)], and [float64 (2,)] for inputs of the same kind before"},
		"gives more": {func(_ *nd.Env, in []*nd.Array) []*nd.Array {
			calls++
			return []*nd.Array{in[0], in[0]}[:1+calls%2]
		}, "for inputs of the same kind before"},
	} {
		t.Run(name, func(t *testing.T) {
			calls = 0
			captured := nd.NewCaptured(env, c.function)
			x := nd.FromSlice([]float64{1, 2, 3})
			captured.Call(x)
			for range 2 {
				err := nd.Try(func() { captured.Call(x) })
				require.ErrorIs(t, err, fault.ErrMisuse)
				require.ErrorContains(t, err, c.text)
				require.ErrorContains(t, err, "captured_test.go")
				if name == "gives other shapes" || name == "gives more" {
					break // the next begins anew
				}
			}
		})
	}
}

func TestConstantsMayBeMadeOutsideTheEnvOfACapturedFunction(t *testing.T) {
	c := nd.NewCaptured(nd.DefaultEnv(), func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		mask := nd.Ones[float64](3).MulScalar(2).Sub(nd.Full(0.5, 3)).Sum()
		return []*nd.Array{in[0].Mul(mask).Add(nd.FromSlice([]float64{1, 2, 3}))}
	})
	for range 3 {
		require.Equal(t, []float64{5.5, 11, 16.5}, values64(t, c.Call(nd.FromSlice([]float64{1, 2, 3}))[0]))
	}
}

func TestMistakenCallsOfCapturedFunctionsPanic(t *testing.T) {
	require.ErrorIs(t, nd.Try(func() { nd.NewCaptured(nil, moments) }), fault.ErrMisuse)
	require.ErrorIs(t, nd.Try(func() { nd.NewCaptured(nd.DefaultEnv(), nil) }), fault.ErrMisuse)
	c := nd.NewCaptured(nd.DefaultEnv(), func(_ *nd.Env, in []*nd.Array) []*nd.Array { return []*nd.Array{in[0].Neg()} })
	require.ErrorIs(t, nd.Try(func() { c.Call(nil) }), fault.ErrMisuse)
	require.ErrorContains(t, nd.Try(func() { c.Call(nd.Weak(0.1)) }), "input 0 is a weak scalar")
}

func TestAFunctionThatPanicsIsCapturedByALaterCall(t *testing.T) {
	calls, weight := 0, nd.Ones[float64](3000)
	c := nd.NewCaptured(nd.DefaultEnv(), func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		product := in[0].Mul(weight)
		if calls++; calls == 2 {
			panic("mine")
		}
		return []*nd.Array{product.Sum()}
	})
	for i := range 5 {
		call := func() []*nd.Array { return c.Call(nd.Full(float64(i), 3000)) }
		if i == 1 {
			require.PanicsWithValue(t, "mine", func() { call() })
			continue
		}
		require.Equal(t, []float64{float64(3000 * i)}, values64(t, call()[0]))
	}
	require.Equal(t, 3, calls)
	weight.Release() // nothing of the capture that failed holds it
	require.ErrorIs(t, nd.Try(func() { c.Call(nd.Full(1.0, 3000)) }), fault.ErrReleased)
}

// TestACapturedFunctionWithinAnotherIsAPartOfIt nests them, and a recursive one.
func TestACapturedFunctionWithinAnotherIsAPartOfIt(t *testing.T) {
	env := nd.DefaultEnv()
	calls := 0
	inner := nd.NewCaptured(env, func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		calls++
		return []*nd.Array{in[0].AddScalar(1)}
	})
	outer := nd.NewCaptured(env, func(_ *nd.Env, in []*nd.Array) []*nd.Array { return inner.Call(inner.Call(in[0])[0]) })
	var halves *nd.Captured // adds up elements
	halves = nd.NewCaptured(env, func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		x, n := in[0], in[0].Count()
		if n == 1 {
			return in
		}
		return halves.Call(x.Index(nd.Span(0, n/2)).Add(x.Index(nd.Span(n/2, n))))
	})
	for i := range 6 {
		x := nd.FromSlice([]float64{float64(i), 2, 3, 4})
		require.Equal(t, []float64{float64(i + 2), 4, 5, 6}, values64(t, outer.Call(x)[0]))
		require.Equal(t, []float64{float64(i + 9)}, values64(t, halves.Call(x)[0]))
	}
	require.Equal(t, 4, calls, "two by the first call of outer, and two by that which captured it")
}

// TestCapturedFunctionsMayBeCalledByMany has callers who agree among themselves on who reads results, and others who use the same parameter.
func TestCapturedFunctionsMayBeCalledByMany(t *testing.T) {
	env, weight := nd.DefaultEnv(), nd.Ones[float64](2000)
	c := nd.NewCaptured(env, func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		return []*nd.Array{in[0].Mul(weight.Index(nd.Span(0, in[0].Count()))).Sum()}
	})
	var reading sync.Mutex
	var all sync.WaitGroup
	for caller := range 4 {
		all.Go(func() {
			for i := range 30 {
				count := 1000 * (1 + i%2)
				x := nd.Full(float64(caller*100+i), count)
				reading.Lock()
				sum := c.Call(x)[0].Copy()
				reading.Unlock()
				if got, err := nd.Item[float64](sum); err != nil || got != float64(count*(caller*100+i)) {
					t.Error(got, err)
				}
				nd.MulInto(weight, weight, nd.Ones[float64](1)) // between replays
			}
		})
	}
	all.Wait()
	require.Equal(t, []float64{6000}, values64(t, c.Call(nd.Full(3.0, 2000))[0]))
}

func ExampleCaptured() {
	weights := nd.FromSlice([]float64{1, 2, 3, 4}, 2, 2)
	model := nd.NewCaptured(nd.DefaultEnv(), func(env *nd.Env, inputs []*nd.Array) []*nd.Array {
		return []*nd.Array{inputs[0].MatMul(weights).Relu()}
	})
	defer model.Release()

	for i := range 4 { // called, captured, and replayed twice
		x := nd.FromSlice([]float64{float64(i), -1}, 1, 2)
		fmt.Println(model.Call(x)[0]) // overwritten by the next call
	}
	// Output:
	// [[0. 0.]]
	// [[0. 0.]]
	// [[0. 0.]]
	// [[0. 2.]]
}
