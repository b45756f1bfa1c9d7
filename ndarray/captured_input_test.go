package ndarray_test

import (
	"context"
	"fmt"
	"sync"
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

// mixed reads its inputs at its beginning and at its end.
func mixed(_ *nd.Env, in []*nd.Array) []*nd.Array {
	x, y := in[0], in[1]
	product := x.Mul(y)
	for range 9 {
		product = product.Tanh().Add(y)
	}
	return []*nd.Array{product.Mul(x), product.Index(nd.Span(1, 2)).Sub(x)}
}

// filled returns an array of its own contents for each call.
func filled(env *nd.Env, call int, shape ...int) *nd.Array {
	values := make([]float64, storage.Count(shape))
	for i := range values {
		values[i] = float64(i+call) / float64(len(values))
	}
	return nd.FromSliceIn(env, values, shape...)
}

// TestWhoCallsACapturedFunctionMayWriteToItsInputsAtOnce gives it inputs of many kinds, and changes them in many ways as soon as it is called.
func TestWhoCallsACapturedFunctionMayWriteToItsInputsAtOnce(t *testing.T) {
	inputs := map[string]func(env *nd.Env, call, n int) (x, y *nd.Array){
		"arrays": func(env *nd.Env, call, n int) (x, y *nd.Array) {
			return filled(env, call, n, n), filled(env, 2*call, n)
		},
		"one array twice": func(env *nd.Env, call, n int) (x, y *nd.Array) {
			x = filled(env, call, n, n)
			return x, x
		},
		"parts of one array": func(env *nd.Env, call, n int) (x, y *nd.Array) {
			all := filled(env, call, 2*n+1, n)
			return all.Index(nd.Span(n, 2*n)), all.Index(nd.Span(call%3, call%3+n))
		},
		"a transposed array and a row": func(env *nd.Env, call, n int) (x, y *nd.Array) {
			all := filled(env, call, n, n)
			return all.T(), all.Index(nd.Span(n-1, n))
		},
		"a column and another": func(env *nd.Env, call, n int) (x, y *nd.Array) {
			return filled(env, call, n, 3*n).Index(nd.Whole, nd.SpanBy(0, 3*n, 3)), filled(env, call, n, 1)
		},
	}
	changes := map[string]func(x *nd.Array){
		"nothing":  func(*nd.Array) {},
		"an add":   func(x *nd.Array) { nd.AddInto(x, x, x) },
		"a copy":   func(x *nd.Array) { nd.CopyInto(x, filled(x.Env(), 99, x.Shape()...)) },
		"an index": func(x *nd.Array) { nd.Set(x, 1000.0, 1, 0) },
		"a slice": func(x *nd.Array) {
			if nd.Write(context.Background(), x, func(data []float64) error { clear(data); return nil }) != nil {
				panic("it cannot be written")
			}
		},
		"a release": func(x *nd.Array) { x.Release() },
	}
	sizes := []int{2, 70} // within Go's objects, and beyond Go's heap
	for i, env := range []*nd.Env{nd.DefaultEnv(), nd.DefaultEnv().WithDevice(device.Sim(0)), ops.NewEnv(engine.NewPooled(engine.WithSanitizer()))} {
		for kind, make := range inputs {
			for change, write := range changes {
				if i > 0 && change != "an add" { // where inputs are copied
					continue
				}
				t.Run(fmt.Sprintf("%v %s %s", env.Device(), kind, change), func(t *testing.T) {
					c := nd.NewCaptured(env, mixed)
					defer c.Release()
					for call := range 4 {
						for _, n := range sizes {
							x, y := make(env, call, n)
							want := mixed(env, []*nd.Array{x, y})
							got := c.Call(x, y)
							if change != "a slice" || x.IsContiguous() {
								write(x)
							}
							for i := range want {
								require.Equal(t, values64(t, want[i]), values64(t, got[i]), "call %d, result %d, n %d", call, i, n)
							}
						}
					}
				})
			}
		}
	}
}

// TestACapturedFunctionMayWriteToWhatItIsGiven has a function that updates an array which is its input, too.
func TestACapturedFunctionMayWriteToWhatItIsGiven(t *testing.T) {
	update := func(state *nd.Array) func(env *nd.Env, in []*nd.Array) []*nd.Array {
		return func(env *nd.Env, in []*nd.Array) []*nd.Array {
			nd.AddInto(state, state.In(env), in[0].MulScalar(2))
			return []*nd.Array{state.In(env).Sub(in[0])}
		}
	}
	plain, state := nd.Ones[float64](40, 40), nd.Ones[float64](40, 40)
	function, c := update(plain), nd.NewCaptured(nd.DefaultEnv(), update(state))
	defer c.Release()
	for call := range 5 {
		in := state
		if call == 0 { // nothing is captured yet
			in = state.Copy()
		}
		want := function(nd.DefaultEnv(), []*nd.Array{plain.Copy()})
		require.Equal(t, values64(t, want[0]), values64(t, c.Call(in)[0]))
		require.Equal(t, values64(t, plain), values64(t, state))
	}
}

// TestErrorsOfOneInputAreThoseOfWhatIsComputedOfIt lets a call fail, and one whose scope has ended, and goes on.
func TestErrorsOfOneInputAreThoseOfWhatIsComputedOfIt(t *testing.T) {
	c := nd.NewCaptured(nd.DefaultEnv(), func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		return []*nd.Array{in[0].MulScalar(2), in[0].Take(in[1], 0)}
	})
	defer c.Release()
	at := func(i int64) *nd.Array { return nd.FromSlice([]int64{i}, 1) }
	ended, end := context.WithCancel(context.Background())
	end()
	x := nd.FromSlice([]float64{1, 2, 3}, 3)
	for call := range 4 {
		got := c.Call(x, at(5))
		nd.AddInto(x, x, nd.Ones[float64](3)) // which waits for the call, and not for its success
		require.Equal(t, []float64{2, 4, 6}, values64(t, got[0]))
		_, err := nd.Values[float64](got[1])
		require.ErrorIs(t, err, fault.ErrIndex)
		require.Equal(t, []float64{2, 3, 4}, values64(t, x))

		got = c.Call(x, at(0).Take(at(3), 0))
		require.Equal(t, []float64{4, 6, 8}, values64(t, got[0]), "call %d", call)
		_, err = nd.Values[float64](got[1])
		require.ErrorIs(t, err, fault.ErrIndex)

		_, err = nd.Values[float64](c.Call(x.In(x.Env().WithScope(ended)), at(0))[0])
		require.ErrorIs(t, err, context.Canceled)
		got = c.Call(x, at(2))
		nd.CopyInto(x, nd.FromSlice([]float64{1, 2, 3}))
		require.Equal(t, []float64{4}, values64(t, got[1]))
	}
	released := nd.Ones[float64](3)
	released.Release()
	require.ErrorIs(t, nd.Try(func() { c.Call(released, at(0)) }), fault.ErrReleased)
	other := ops.NewEnv(engine.NewNaive())
	require.ErrorIs(t, nd.Try(func() { c.Call(nd.OnesIn(other, dtype.Float64, 3), at(0)) }), fault.ErrDevice)
	require.Equal(t, []float64{2}, values64(t, c.Call(x, at(1))[1]), "mistakes change nothing")
}

// TestInputsThatACapturedFunctionKeepsAreFoundReleased has a function that keeps what it gets.
func TestInputsThatACapturedFunctionKeepsAreFoundReleased(t *testing.T) {
	var kept *nd.Array
	c := nd.NewCaptured(nd.DefaultEnv(), func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		kept = in[0]
		return []*nd.Array{in[0].Neg()}
	})
	defer c.Release()
	for range 3 {
		require.Equal(t, []float64{-1, -1}, values64(t, c.Call(nd.Ones[float64](2))[0]))
	}
	err := nd.Try(func() { kept.Add(kept) })
	require.ErrorIs(t, err, fault.ErrReleased)
	require.ErrorContains(t, err, "captured_input_test.go")
}

// TestManyMayCallACapturedFunctionAndWriteToTheirInputs has callers who read their results in turn, and write to their inputs as they like.
func TestManyMayCallACapturedFunctionAndWriteToTheirInputs(t *testing.T) {
	env := nd.DefaultEnv()
	c := nd.NewCaptured(env, func(_ *nd.Env, in []*nd.Array) []*nd.Array {
		return []*nd.Array{in[0].MatMul(in[1]).Sum().Add(in[0].Sum())}
	})
	defer c.Release()
	shared := nd.Ones[float64](40, 40)
	var reading sync.Mutex
	var all sync.WaitGroup
	for caller := range 4 {
		all.Go(func() {
			x := nd.Zeros[float64](40, 40)
			for i := range 25 {
				nd.CopyInto(x, nd.Full(float64(caller+i), 40, 40))
				reading.Lock()
				got := c.Call(x, shared)[0].Copy()
				reading.Unlock()
				nd.CopyInto(x, nd.Full(-1.0, 40, 40))
				if value, err := nd.Item[float64](got); err != nil || value != float64((40*40*40+40*40)*(caller+i)) {
					t.Error(value, err)
				}
			}
		})
	}
	all.Wait()
}
