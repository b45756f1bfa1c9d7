package autograd_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// The hyperbolic tangent and product, with gradients written by hand from what they save.
var (
	handTanh = &autograd.Function{
		Name: "hand tanh",
		Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) {
			y := in[0].Tanh()
			return []*nd.Array{y}, []*nd.Array{y}
		},
		Backward: func(saved, upstream []*nd.Array) []*nd.Array {
			return []*nd.Array{upstream[0].Mul(saved[0].Square().Neg().AddScalar(1))}
		},
	}
	handProduct = &autograd.Function{
		Name: "hand product",
		Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) {
			return []*nd.Array{in[0].Mul(in[1]), in[0].Add(in[1])}, in
		},
		Backward: func(saved, upstream []*nd.Array) []*nd.Array {
			return []*nd.Array{upstream[0].Mul(saved[1]).Add(upstream[1]), upstream[0].Mul(saved[0]).Add(upstream[1])}
		},
	}
)

// goCube is the cube, computed by Go.
func goCube(once bool) *autograd.Function {
	host := func(a *nd.Array, f func(v float64) float64) *nd.Array {
		elements, err := nd.Values[float64](a)
		if err != nil {
			panic(err)
		}
		for i, v := range elements {
			elements[i] = f(v)
		}
		return nd.FromSliceIn(a.Env(), elements, a.Shape()...)
	}
	return &autograd.Function{
		Name: "go cube", Once: once,
		Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) {
			return []*nd.Array{host(in[0], func(v float64) float64 { return v * v * v })}, in
		},
		Backward: func(saved, upstream []*nd.Array) []*nd.Array {
			return []*nd.Array{upstream[0].Mul(host(saved[0], func(v float64) float64 { return 3 * v * v }))}
		},
	}
}

func TestFunctionsHaveTheGradientOfTheirBackward(t *testing.T) {
	x := nd.FromSlice([]float64{0.3, -0.8})
	require.Equal(t, values(t, x.Tanh()), values(t, handTanh.Call(x)[0]), "nobody watches")
	hand := func(x *nd.Array) *nd.Array { return handTanh.Call(x)[0] }
	for order, f := range []function{hand, func(x *nd.Array) *nd.Array { return slope(hand, x) }} {
		want := slope((*nd.Array).Tanh, x)
		if order == 1 {
			want = slope(func(x *nd.Array) *nd.Array { return slope((*nd.Array).Tanh, x) }, x)
		}
		requireNear(t, values(t, want), values(t, slope(f, x)), 1e-14)
	}
	nested := func(x *nd.Array) *nd.Array { return hand(hand(hand(hand(hand(x))))) }
	requireNear(t, difference(t, nested, []float64{0.3, -0.8}, 1e-5), values(t, slope(nested, x)), 1e-9)
	hessian := autograd.Hessian(total(nested), x)
	curvature := func(x *nd.Array) *nd.Array { return slope(nested, x) }
	requireNear(t, difference(t, curvature, []float64{0.3, -0.8}, 1e-5), values(t, hessian.Sum(0)), 1e-9)
}

func TestFunctionsOfSeveralOperandsAndResults(t *testing.T) {
	x, y := nd.FromSlice([]float64{2, 3}), nd.FromSlice([]float64{5, 7})
	for name, c := range map[string]struct {
		loss   func(r []*nd.Array) *nd.Array
		gx, gy []float64
	}{
		"first":  {func(r []*nd.Array) *nd.Array { return r[0].Sum() }, []float64{5, 7}, []float64{2, 3}},
		"second": {func(r []*nd.Array) *nd.Array { return r[1].Square().Sum() }, []float64{14, 20}, []float64{14, 20}},
		"both":   {func(r []*nd.Array) *nd.Array { return r[0].Mul(r[1]).Sum() }, []float64{45, 91}, []float64{24, 51}},
	} {
		tape := autograd.NewTape()
		g := tape.Gradient(c.loss(handProduct.Call(tape.Watch(x), tape.Watch(y))), x, y)
		require.Equal(t, c.gx, values(t, g[0]), name)
		require.Equal(t, c.gy, values(t, g[1]), name)
	}
	tape := autograd.NewTape()
	g := tape.Gradient(handProduct.Call(tape.Watch(x), x)[0].Sum(), x)
	require.Equal(t, []float64{2, 3}, values(t, g[0]), "the operand that nobody watches has no part")
}

func TestFunctionsMayComputeInGo(t *testing.T) {
	x := nd.FromSlice([]float64{2, -3})
	cube := func(x *nd.Array) *nd.Array { return goCube(true).Call(x)[0] }
	require.Equal(t, []float64{12, 27}, values(t, slope(cube, x)))
	outer := autograd.NewTape()
	handle := outer.Watch(x)
	first := slope(cube, handle)
	err := nd.Try(func() { outer.Gradient(first.Sum(), x) })
	require.ErrorIs(t, err, fault.ErrMisuse)
	require.ErrorContains(t, err, "differentiable once")
	require.NoError(t, nd.Try(func() { nd.AddInto(x, x, x) }), "a failed gradient protects nothing")

	two, one := autograd.NewTape(), nd.FromSlice([]float64{1, 1})
	handle = two.Watch(one)
	two.Gradient(slope(cube, x).Mul(handle).Sum(), one) // what does not pass through the backward function is free
}

func TestFunctionsFollowArraysBetweenDevices(t *testing.T) {
	x := nd.FromSlice([]float64{1, 2})
	away := &autograd.Function{
		Name: "away",
		Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) {
			return []*nd.Array{in[0].To(device.Sim(0)).MulScalar(2), in[0].MulScalar(3)}, nil
		},
		Backward: func(_, up []*nd.Array) []*nd.Array {
			return []*nd.Array{up[0].MulScalar(2).To(device.CPU(0)).Add(up[1].MulScalar(3))}
		},
	}
	tape := autograd.NewTape()
	y := away.Call(tape.Watch(x))
	g := tape.Gradient(y[0].To(device.CPU(0)).Mul(y[1]).Sum(), x)[0]
	require.Equal(t, device.CPU(0), g.Device())
	require.Equal(t, []float64{12, 24}, values(t, g))
}

// TestSavedValuesThatAreNoResultsAreNotLost looks at a saved value from a second derivative, which is lost if it is not a result.
func TestSavedValuesThatAreNoResultsAreNotLost(t *testing.T) {
	of := func(isResult bool) function {
		f := &autograd.Function{
			Name: "exponential",
			Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) {
				e := in[0].Exp()
				if isResult {
					return []*nd.Array{e.Copy(), e}, []*nd.Array{e}
				}
				return []*nd.Array{e.Copy()}, []*nd.Array{e}
			},
			Backward: func(saved, up []*nd.Array) []*nd.Array {
				g := up[0]
				if isResult {
					g = g.Add(up[1])
				}
				return []*nd.Array{g.Mul(saved[0])}
			},
		}
		return func(x *nd.Array) *nd.Array { return f.Call(x)[0] }
	}
	x := nd.FromSlice([]float64{0.5})
	want := math.Exp(0.5)
	requireNear(t, []float64{want}, values(t, slope(of(false), x)), 1e-15)
	requireNear(t, []float64{want}, values(t, autograd.Hessian(of(true), nd.Full(0.5))), 1e-15)
	err := nd.Try(func() { autograd.Hessian(of(false), nd.Full(0.5)) })
	require.ErrorIs(t, err, fault.ErrMisuse)
	require.ErrorContains(t, err, "saved value 0, which is neither operand nor result")
}

func TestMistakenFunctionsNameThemselvesAndTheirCall(t *testing.T) {
	x, tape := nd.FromSlice([]float64{1, 2}), autograd.NewTape(autograd.Persistent())
	watched := tape.Watch(x)
	pass := func(in []*nd.Array) (outputs, saved []*nd.Array) { return in[:1], in }
	give := func(g ...*nd.Array) func(_, _ []*nd.Array) []*nd.Array {
		return func(_, _ []*nd.Array) []*nd.Array { return g }
	}
	cases := map[string]struct {
		f      autograd.Function
		want   error
		detail string
	}{
		"no results":         {autograd.Function{Forward: func([]*nd.Array) (o, s []*nd.Array) { return nil, nil }}, fault.ErrMisuse, "no results"},
		"nil result":         {autograd.Function{Forward: func([]*nd.Array) (o, s []*nd.Array) { return make([]*nd.Array, 1), nil }}, fault.ErrMisuse, "result 0 is nil"},
		"watched beside":     {autograd.Function{Forward: func(in []*nd.Array) (o, s []*nd.Array) { return []*nd.Array{in[0].Mul(watched)}, nil }}, fault.ErrMisuse, "no operand"},
		"too few gradients":  {autograd.Function{Forward: pass, Backward: give()}, fault.ErrMisuse, "0 gradients for 1 operands"},
		"too many gradients": {autograd.Function{Forward: pass, Backward: give(x, x)}, fault.ErrMisuse, "2 gradients for 1 operands"},
		"shape of gradient":  {autograd.Function{Forward: pass, Backward: give(nd.Zeros[float64](1, 2))}, fault.ErrShape, "shape (1,2) for operand 0 of shape (2,)"},
		"dtype of gradient":  {autograd.Function{Forward: pass, Backward: give(nd.Zeros[float32](2))}, fault.ErrDType, "float32 for operand 0 of float64"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.f.Name = "mistaken"
			err := nd.Try(func() { tape.Gradient(c.f.Call(watched)[0].Sum(), x) })
			require.ErrorIs(t, err, c.want)
			require.Regexp(t, `^weft: mistaken: .*`, err.Error())
			require.ErrorContains(t, err, c.detail)
			require.ErrorContains(t, err, "function_test.go")
		})
	}
	require.ErrorIs(t, nd.Try(func() { handTanh.Call(nil) }), fault.ErrMisuse)
}

func TestFunctionsMayGiveNoGradientAndTakeIntegers(t *testing.T) {
	x, rows := nd.FromSlice([]float64{1, 2, 3}), nd.FromSlice([]int64{2, 0})
	pick := &autograd.Function{
		Name:    "pick",
		Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) { return []*nd.Array{in[0].Take(in[1], 0), in[1]}, in },
		Backward: func(saved, up []*nd.Array) []*nd.Array {
			return []*nd.Array{up[0].ExpandDims(1).Mul(saved[1].OneHot(3, dtype.Float64)).Sum(0), nil}
		},
	}
	tape := autograd.NewTape()
	y := pick.Call(tape.Watch(x), rows)
	nd.AddInto(y[1].Copy(), y[1], y[1])
	require.Equal(t, []float64{2, 0, 6}, values(t, tape.Gradient(y[0].Square().Sum(), x)[0]))

	blind := &autograd.Function{Name: "blind", Forward: pick.Forward, Backward: func(_, _ []*nd.Array) []*nd.Array { return make([]*nd.Array, 2) }}
	tape = autograd.NewTape()
	loss := blind.Call(tape.Watch(x), rows)[0].Sum()
	require.True(t, tape.Connected(loss, x))
	require.Equal(t, []float64{0, 0, 0}, values(t, tape.Gradient(loss, x)[0]))
}

func TestWhatAFunctionSavesIsProtected(t *testing.T) {
	x, tape := nd.FromSlice([]float64{1, 2}), autograd.NewTape()
	y := handTanh.Call(tape.Watch(x))[0].Detach()
	nd.AddInto(x, x, x) // it saves its result alone
	err := nd.Try(func() { nd.AddInto(y, y, y) })
	require.ErrorIs(t, err, fault.ErrSaved)
	require.Regexp(t, `saved this memory at function_test\.go:\d+ .*at function_test\.go:\d+`, err.Error())
	tape.Close()
	nd.AddInto(y, y, y)
}

// TestFunctionsAndCheckpointsOfSeveralGoroutinesUnderOneTape calls them at once, under two tapes, one inside the other.
func TestFunctionsAndCheckpointsOfSeveralGoroutinesUnderOneTape(t *testing.T) {
	x := nd.FromSlice([]float64{0.1, 0.2, 0.3})
	outer, inner := autograd.NewTape(autograd.Persistent()), autograd.NewTape(autograd.Persistent())
	defer outer.Close()
	defer inner.Close()
	handle := inner.Watch(outer.Watch(x))
	const parties = 6
	seconds := make([]*nd.Array, parties)
	var running sync.WaitGroup
	for i := range parties {
		running.Go(func() {
			y := handle
			for range 5 {
				y = handTanh.Call(y)[0]
				y = autograd.Checkpoint(func(in []*nd.Array) []*nd.Array { return []*nd.Array{in[0].Sin().Mul(in[0])} }, y)[0]
			}
			g := inner.Gradient(y.Sum(), handle)[0]
			seconds[i] = outer.Gradient(g.Sum(), x)[0]
		})
	}
	running.Wait()
	for _, g := range seconds[1:] {
		require.Equal(t, values(t, seconds[0]), values(t, g))
	}
}

// What a function of the user's returns, or has seen, may be held elsewhere: whoever gets a gradient may write to it, and release it.
func TestGradientsShareNoMemoryWithWhatFunctionsHold(t *testing.T) {
	const count = 5000 // whose memory is given back at once
	constant := nd.Full(3.0, count)
	var seen *nd.Array
	for name, backward := range map[string]func(saved, upstream []*nd.Array) []*nd.Array{
		"saved operand": func(saved, _ []*nd.Array) []*nd.Array { return []*nd.Array{saved[0], saved[1]} },
		"constant":      func(_, _ []*nd.Array) []*nd.Array { return []*nd.Array{constant, constant.Reshape(count)} },
		"upstream":      func(_, upstream []*nd.Array) []*nd.Array { seen = upstream[0]; return []*nd.Array{seen, seen} },
	} {
		for _, within := range []string{"", " within a checkpoint"} {
			t.Run(name+within, func(t *testing.T) {
				f := &autograd.Function{
					Name:     name,
					Forward:  func(in []*nd.Array) (outputs, saved []*nd.Array) { return []*nd.Array{in[0].Add(in[1])}, in },
					Backward: backward,
				}
				x, y := nd.Full(0.5, count), nd.Full(0.5, count)
				seen = constant
				tape := autograd.NewTape()
				watched := tape.Watch(x)
				call := func(in []*nd.Array) []*nd.Array { return f.Call(in...) }
				if within != "" {
					plain := call
					call = func(in []*nd.Array) []*nd.Array { return autograd.Checkpoint(plain, in...) }
				}
				sum := call([]*nd.Array{watched, y})[0]
				for _, g := range tape.Gradient(sum.Square().Sum(), watched, sum) {
					nd.AddInto(g, g, nd.Weak(100.0))
					g.Release()
				}
				for _, held := range []*nd.Array{x, y, constant, seen} {
					v, err := nd.At[float64](held, 0)
					require.NoError(t, err)
					require.Less(t, v, 50.0)
				}
			})
		}
	}
}
