package autograd_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	_ "github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
)

func values(t *testing.T, a *nd.Array) []float64 {
	t.Helper()
	v, err := nd.Values[float64](a)
	require.NoError(t, err)
	return v
}

func TestGradientFollowsTheChainRule(t *testing.T) {
	x := nd.FromSlice([]float64{0.5, -1, 2})
	tape := autograd.NewTape()
	y := tape.Watch(x)
	loss := y.Square().MulScalar(3).Add(y.Exp()).Sum()
	gradient := values(t, tape.Gradient(loss, x)[0])
	for i, v := range []float64{0.5, -1, 2} {
		require.InDelta(t, 6*v+math.Exp(v), gradient[i], 1e-12)
	}
}

func TestGradientsOfAValueUsedTwiceAreAdded(t *testing.T) {
	x := nd.FromSlice([]float64{3})
	tape := autograd.NewTape()
	y := tape.Watch(x)
	a := y.Square()
	loss := a.Mul(a).Add(a).Add(y).Sum()
	require.Equal(t, []float64{4*27 + 2*3 + 1}, values(t, tape.Gradient(loss, x)[0]))
}

func TestPowersOfExponentZeroHaveNoSlope(t *testing.T) {
	x := nd.FromSlice([]float64{0, 2, -3})
	for name, exponent := range map[string]*nd.Array{"scalar": nd.Weak(0), "array": nd.Zeros[float64](3)} {
		tape := autograd.NewTape()
		loss := tape.Watch(x).Pow(exponent).Sum()
		require.Equal(t, []float64{0, 0, 0}, values(t, tape.Gradient(loss, x)[0]), name)
	}
}

func TestStepsHaveGradientsOfZeroAndAreConnected(t *testing.T) {
	x, two := nd.FromSlice([]float64{-1.5, 0, 2.25}), nd.FromSlice([]float64{2})
	for name, step := range map[string]func(x *nd.Array) *nd.Array{
		"floor": (*nd.Array).Floor, "ceil": (*nd.Array).Ceil, "trunc": (*nd.Array).Trunc, "round": (*nd.Array).Round, "sign": (*nd.Array).Sign,
		"floor divide": two.FloorDivide, "floor divided": func(x *nd.Array) *nd.Array { return x.FloorDivide(two) },
	} {
		tape := autograd.NewTape()
		loss := step(tape.Watch(x)).Sum()
		require.True(t, tape.Connected(loss, x), name)
		require.Equal(t, []float64{0, 0, 0}, values(t, tape.Gradient(loss, x)[0]), name)
		tape = autograd.NewTape()
		loss = step(tape.Watch(x)).Mul(tape.Watch(two)).Add(tape.Watch(x)).Sum()
		require.Equal(t, []float64{1, 1, 1}, values(t, tape.Gradient(loss, x)[0]), name)
	}
}

func TestUnconnectedSourcesGetZeros(t *testing.T) {
	x, other, never := nd.FromSlice([]float64{1, 2}), nd.FromSlice([]float64{3, 4, 5}), nd.Ones[float32](2, 2)
	tape := autograd.NewTape()
	y := tape.Watch(x)
	tape.Watch(other)
	loss := y.Sum()
	require.True(t, tape.Connected(loss, x))
	require.False(t, tape.Connected(loss, other))
	require.False(t, tape.Connected(loss, never))
	g := tape.Gradient(loss, x, other, never)
	require.Equal(t, []float64{1, 1}, values(t, g[0]))
	require.Equal(t, []float64{0, 0, 0}, values(t, g[1]))
	require.Equal(t, []int{2, 2}, g[2].Shape())
	require.False(t, tape.Connected(loss, x), "the tape is used")
}

func TestGradientOfAnIntermediateValue(t *testing.T) {
	x := nd.FromSlice([]float64{2})
	tape := autograd.NewTape()
	middle := tape.Watch(x).Square()
	loss := middle.Square().Sum()
	g := tape.Gradient(loss, middle, x)
	require.Equal(t, []float64{8}, values(t, g[0]))
	require.Equal(t, []float64{32}, values(t, g[1]))
}

func TestGradientWithIsAVectorJacobianProduct(t *testing.T) {
	x, v := nd.FromSlice([]float64{1, 2, 3}), nd.FromSlice([]float64{1, 0, -2})
	tape := autograd.NewTape()
	y := tape.Watch(x).Square()
	require.Equal(t, []float64{2, 0, -12}, values(t, tape.GradientWith(y, v, x)[0]))
}

func TestThirdDerivativeEqualsTheFormula(t *testing.T) {
	x := nd.FromSlice([]float64{0.7})
	first, second, third := autograd.NewTape(), autograd.NewTape(), autograd.NewTape()
	a := third.Watch(x)
	b := second.Watch(a)
	c := first.Watch(b)
	d1 := first.Gradient(c.Tanh().Sum(), c)[0]
	d2 := second.Gradient(d1.Sum(), b)[0]
	d3 := third.Gradient(d2.Sum(), a)[0]
	y := math.Tanh(0.7)
	slope := 1 - y*y
	require.InDelta(t, slope, values(t, d1)[0], 1e-14)
	require.InDelta(t, -2*y*slope, values(t, d2)[0], 1e-14)
	require.InDelta(t, slope*(6*y*y-2), values(t, d3)[0], 1e-13)
}

func TestPersistentTapeGivesGradientsAgain(t *testing.T) {
	x := nd.FromSlice([]float64{2})
	tape := autograd.NewTape(autograd.Persistent())
	loss := tape.Watch(x).Square().Sum()
	for range 3 {
		require.Equal(t, []float64{4}, values(t, tape.Gradient(loss, x)[0]))
	}
	tape.Close()
	require.ErrorIs(t, nd.Try(func() { tape.Gradient(loss, x) }), fault.ErrMisuse)
}

func TestMisusePanicsWithTheUsersLine(t *testing.T) {
	x := nd.FromSlice([]float64{1, 2})
	tape := autograd.NewTape()
	y := tape.Watch(x).Square()
	cases := map[string]struct {
		call func()
		want error
	}{
		"loss of two elements":        {func() { tape.Gradient(y, x) }, fault.ErrShape},
		"upstream of another shape":   {func() { tape.GradientWith(y, nd.Ones[float64](3), x) }, fault.ErrShape},
		"upstream of another dtype":   {func() { tape.GradientWith(y, nd.Ones[float32](2), x) }, fault.ErrShape},
		"loss that nobody watches":    {func() { tape.Gradient(x.Sum(), x) }, fault.ErrMisuse},
		"integers have no gradients":  {func() { tape.Watch(nd.FromSlice([]int64{1})) }, fault.ErrDType},
		"loss of integers":            {func() { tape.Gradient(y.Sum().Cast(dtype.Int64), x) }, fault.ErrDType},
		"nil to watch":                {func() { tape.Watch(nil) }, fault.ErrMisuse},
		"nil loss":                    {func() { tape.Gradient(nil, x) }, fault.ErrMisuse},
		"nil source":                  {func() { tape.Gradient(y.Sum(), x, nil) }, fault.ErrMisuse},
		"nil upstream":                {func() { tape.GradientWith(y, nil, x) }, fault.ErrMisuse},
		"nil to connect":              {func() { tape.Connected(y, nil) }, fault.ErrMisuse},
		"destination with a gradient": {func() { nd.SquareInto(nd.Zeros[float64](2), tape.Watch(x)) }, fault.ErrMisuse},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := nd.Try(c.call)
			require.ErrorIs(t, err, c.want)
			require.Contains(t, err.Error(), "tape_test.go")
		})
	}
	loss := y.Sum()
	tape.Gradient(loss, x)
	require.ErrorContains(t, nd.Try(func() { tape.Gradient(loss, x) }), "used or closed before")
}

func TestWatchReturnsTheSameHandle(t *testing.T) {
	x := nd.FromSlice([]float64{1})
	tape := autograd.NewTape()
	require.Same(t, tape.Watch(x), tape.Watch(x))
	require.NotSame(t, x, tape.Watch(x))
}

func TestWatchOfWhatIsWatchedIsThat(t *testing.T) {
	tape := autograd.NewTape(autograd.Persistent())
	x := tape.Watch(nd.FromSlice([]float64{1, 2, 3}))
	require.Same(t, x, tape.Watch(x))
	y := x.Square()
	require.Same(t, y, tape.Watch(y))
	gradients := tape.Gradient(tape.Watch(y).Square().Sum(), x, y)
	require.Equal(t, []float64{4, 32, 108}, values(t, gradients[0]))
	require.Equal(t, []float64{2, 8, 18}, values(t, gradients[1]))
	require.ErrorIs(t, nd.Try(func() { tape.Watch(x.Cast(dtype.Int32)) }), fault.ErrDType)
	other := autograd.NewTape()
	require.NotSame(t, x, other.Watch(x))
}

func TestClosedTapeProtectsNothing(t *testing.T) {
	x := nd.FromSlice([]float64{1, 2})
	tape := autograd.NewTape()
	y := tape.Watch(x)
	y.Square()
	require.ErrorIs(t, nd.Try(func() { nd.AddInto(x, x, x) }), fault.ErrSaved)
	tape.Close()
	nd.AddInto(x, x, x)
	y.Square() // a closed tape records nothing
	nd.AddInto(x, x, x)
	require.Equal(t, []float64{4, 8}, values(t, x))
}

func TestDroppedTapeProtectsNothing(t *testing.T) {
	x := nd.FromSlice([]float64{1, 2})
	func() {
		autograd.NewTape().Watch(x).Square()
	}()
	for range 1000 {
		runtime.GC()
		if nd.Try(func() { nd.AddInto(x, x, x) }) == nil {
			return
		}
	}
	t.Fatal("a tape that nobody can reach still protects what it saved")
}

func TestRunTimeErrorsTravelInGradients(t *testing.T) {
	x, indices := nd.FromSlice([]float64{1, 2}), nd.FromSlice([]int64{7})
	tape := autograd.NewTape()
	loss := tape.Watch(x).Take(indices, 0).Square().Sum()
	gradient := tape.Gradient(loss, x)[0]
	for range 2 {
		_, err := nd.Values[float64](gradient)
		require.ErrorIs(t, err, fault.ErrIndex)
		require.ErrorContains(t, err, "take")
	}
	require.Equal(t, []float64{1, 2}, values(t, x))
}

func TestGradientsShareNoMemory(t *testing.T) {
	x, y, upstream := nd.FromSlice([]float64{1, 2}), nd.FromSlice([]float64{3, 4}), nd.FromSlice([]float64{5, 6})
	tape := autograd.NewTape()
	sum := tape.Watch(x).Add(tape.Watch(y))
	g := tape.GradientWith(sum, upstream, x, y, x)
	for i, gradient := range g {
		nd.AddInto(gradient, gradient, nd.Full(float64(i+1), 2))
	}
	require.Equal(t, []float64{5, 6}, values(t, upstream))
	for i, gradient := range g {
		require.Equal(t, []float64{float64(i + 6), float64(i + 7)}, values(t, gradient))
	}
	tape = autograd.NewTape()
	broadcast := tape.Gradient(tape.Watch(x).Sum(), x)[0]
	nd.MulInto(broadcast, broadcast, y)
	require.Equal(t, []float64{3, 4}, values(t, broadcast))
}

func TestGradientsFollowArraysBetweenDevices(t *testing.T) {
	x, w := nd.FromSlice([]float64{1, 2}), nd.FromSlice([]float64{3, 5})
	tape := autograd.NewTape()
	onHost := tape.Watch(x)
	onDevice := onHost.To(device.Sim(0)).Mul(w.To(device.Sim(0)))
	loss := onDevice.To(device.Sim(1)).Square().Sum().To(device.CPU(0)).Add(onHost.Sum())
	gradient := tape.Gradient(loss, x)[0]
	require.Equal(t, device.CPU(0), gradient.Device())
	require.Equal(t, []float64{2*9*1 + 1, 2*25*2 + 1}, values(t, gradient))
}

// Calls whose gradients look at no values leave none on the tape, however small.
func TestTapesKeepNoMemoryOfWhatTheyDoNotSave(t *testing.T) {
	heap := func() (bytes int64) {
		var stats runtime.MemStats
		for range 3 {
			runtime.GC()
		}
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	for _, count := range []int{16, 8000} {
		tape := autograd.NewTape()
		x := tape.Watch(nd.Zeros[float32](count))
		beside := nd.Ones[float32](count)
		require.NoError(t, x.Wait(t.Context()))
		before, calls := heap(), 500
		for range calls {
			x = x.AddScalar(1).Add(beside.AddScalar(1))
		}
		require.NoError(t, x.Wait(t.Context()))
		require.Less(t, heap()-before, int64(calls*8<<10), count)
		runtime.KeepAlive(tape)
	}
}
