package autograd_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestValueComesWithAGradientForEachPlace(t *testing.T) {
	x := nd.FromSlice([]float64{2})
	product := func(xs ...*nd.Array) *nd.Array { return xs[0].Square().Mul(xs[1]).Sum() }
	value, g := autograd.ValueAndGradient(product, x, x)
	require.Equal(t, []float64{8}, values(t, value))
	require.Equal(t, []float64{8}, values(t, g[0]), "of x² at the first place")
	require.Equal(t, []float64{4}, values(t, g[1]))
	nd.AddInto(value, value, value) // neither is watched any more
	nd.AddInto(g[0], g[0], g[0])
	nd.AddInto(x, x, x)

	_, g = autograd.ValueAndGradient(func(...*nd.Array) *nd.Array { return nd.Weak(3.0) }, x)
	require.Equal(t, []float64{0}, values(t, g[0]), "a constant")
}

func TestGradientsOfFunctionsNest(t *testing.T) {
	f := func(x *nd.Array) *nd.Array { return x.Sin() }
	derivative := func(f function) function { return func(x *nd.Array) *nd.Array { return slope(f, x) } }
	x := nd.FromSlice([]float64{0.3})
	requireNear(t, []float64{math.Sin(0.3)}, values(t, derivative(derivative(derivative(derivative(f))))(x)), 1e-13)
}

func TestJacobianHasARowForEachElementOfTheResult(t *testing.T) {
	a := nd.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	x := nd.FromSlice([]float64{1, -1, 2}, 3)
	linear := autograd.Jacobian(func(x *nd.Array) *nd.Array { return a.MatMul(x) }, x)
	require.Equal(t, []int{2, 3}, linear.Shape())
	require.Equal(t, values(t, a), values(t, linear))

	m := nd.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
	j := autograd.Jacobian(func(m *nd.Array) *nd.Array { return m.T() }, m)
	require.Equal(t, []int{2, 2, 2, 2}, j.Shape())
	require.Equal(t, dtype.Float32, j.DType())
	transposed, err := nd.Values[float32](j)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1}, transposed)

	for name, c := range map[string]struct {
		f     function
		shape []int
	}{
		"constant":    {func(*nd.Array) *nd.Array { return nd.Ones[float64](2) }, []int{2, 3}},
		"no elements": {func(x *nd.Array) *nd.Array { return x.Index(nd.Span(0, 0)) }, []int{0, 3}},
		"0-d":         {func(x *nd.Array) *nd.Array { return x.Sum().MulScalar(0) }, []int{3}},
	} {
		j := autograd.Jacobian(c.f, x)
		require.Equal(t, c.shape, j.Shape(), name)
		for _, v := range values(t, j) {
			require.Zero(t, v, name)
		}
	}
}

func TestJacobianStaysOnTheDeviceOfItsOperand(t *testing.T) {
	x := nd.FromSlice([]float64{1, 2}).To(device.Sim(0))
	j := autograd.Jacobian(func(x *nd.Array) *nd.Array { return x.To(device.CPU(0)).Square() }, x)
	require.Equal(t, device.Sim(0), j.Device())
	require.Equal(t, []float64{2, 0, 0, 4}, values(t, j))
}

// TestHessianIsThatOfCentralDifferences compares with differences of the gradient, and the product with a vector with the Hessian.
func TestHessianIsThatOfCentralDifferences(t *testing.T) {
	at := []float64{0.4, -0.9, 1.3}
	for name, f := range map[string]function{
		"coupled":    func(x *nd.Array) *nd.Array { return x.Exp().Sum().Mul(x.Sin().Sum()) },
		"softmax":    func(x *nd.Array) *nd.Array { return x.LogSoftmax(0).Mul(x).Sum() },
		"rosenbrock": rosenbrock,
		"quadratic":  func(x *nd.Array) *nd.Array { return x.Square().Sum() },
		"linear":     func(x *nd.Array) *nd.Array { return x.MulScalar(3).Sum() },
	} {
		t.Run(name, func(t *testing.T) {
			x, v := nd.FromSlice(at), nd.FromSlice([]float64{1, -2, 0.5})
			hessian := autograd.Hessian(f, x)
			require.Equal(t, []int{3, 3}, hessian.Shape())
			for i := range at {
				row := func(x *nd.Array) *nd.Array { return slope(f, x).Index(i) }
				requireNear(t, difference(t, row, at, 1e-5), values(t, hessian.Index(i)), 1e-7)
			}
			requireNear(t, values(t, hessian.MatMul(v)), values(t, autograd.HessianVector(f, x, v)), 1e-12)
		})
	}
}

func rosenbrock(x *nd.Array) *nd.Array {
	head, tail := x.Index(nd.Span(0, 2)), x.Index(nd.Span(1, 3))
	return tail.Sub(head.Square()).Square().MulScalar(100).Add(head.Neg().AddScalar(1).Square()).Sum()
}

func TestMistakenFunctionsFailInTheUsersLine(t *testing.T) {
	x := nd.FromSlice([]float64{1, 2})
	whole, none := nd.FromSlice([]int64{1, 2}), func(*nd.Array) *nd.Array { return nil }
	same := func(x *nd.Array) *nd.Array { return x }
	cases := map[string]struct {
		call func()
		want error
	}{
		"value of two elements": {func() { autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return xs[0] }, x) }, fault.ErrShape},
		"value of integers":     {func() { autograd.Jacobian(func(*nd.Array) *nd.Array { return whole }, x) }, fault.ErrDType},
		"operand of integers":   {func() { autograd.Hessian(same, whole) }, fault.ErrDType},
		"nil value":             {func() { autograd.Jacobian(none, x) }, fault.ErrMisuse},
		"nil value of a scalar": {func() { autograd.Hessian(none, x) }, fault.ErrMisuse},
		"nil operand":           {func() { autograd.Jacobian(same, nil) }, fault.ErrMisuse},
		"nil vector":            {func() { autograd.HessianVector(same, x, nil) }, fault.ErrMisuse},
		"vector of one element": {func() { autograd.HessianVector(total(same), x, nd.Ones[float64](1)) }, fault.ErrShape},
		"Hessian of no scalar":  {func() { autograd.Hessian(same, x) }, fault.ErrShape},
	}
	for name, c := range cases {
		err := nd.Try(c.call)
		require.ErrorIs(t, err, c.want, name)
		require.Contains(t, err.Error(), "derivative_test.go", name)
	}
	nd.AddInto(x, x, x) // nothing is left protected
}

func TestGradientsOfHypotNeedNoMoreRangeThanItsResult(t *testing.T) {
	for name, c := range map[string]struct{ a, b, upstream float32 }{
		"subnormal":             {3e-41, 4e-41, 1},
		"smallest":              {math.SmallestNonzeroFloat32, 0, -2},
		"large":                 {1.8e38, 2.4e38, 1},
		"large, small upstream": {3e37, 4e37, 1e-6},
		"of ordinary size":      {-3, 4, 0.5},
		"zero":                  {0, 0, 1},
	} {
		a, b := nd.FromSlice([]float32{c.a}), nd.FromSlice([]float32{c.b})
		tape := autograd.NewTape()
		x, y := tape.Watch(a), tape.Watch(b)
		gradients := tape.GradientWith(x.Hypot(y), nd.FromSlice([]float32{c.upstream}), x, y)
		length := math.Hypot(float64(c.a), float64(c.b))
		if length == 0 {
			length = 1
		}
		for i, v := range []float32{c.a, c.b} {
			got, err := nd.Values[float32](gradients[i])
			require.NoError(t, err)
			want := float64(c.upstream) * (float64(v) / length)
			require.InDelta(t, want, float64(got[0]), 1e-3*math.Abs(want), "%s, operand %d", name, i)
		}
	}
}

func TestDerivativesAreWatchedByNoTapeOfTheirOwn(t *testing.T) {
	f := func(x *nd.Array) *nd.Array { return x.PowScalar(3).Sum() }
	x, v := nd.FromSlice([]float64{2, 3}), nd.FromSlice([]float64{1, -1})
	for range 20 { // What a loop makes of derivatives does not grow with the loop.
		v = autograd.HessianVector(f, x, v).MulScalar(1.0 / 12)
	}
	requireNear(t, []float64{1, -math.Pow(1.5, 20)}, values(t, v), 1e-9)
	outer, inner := autograd.NewTape(), autograd.NewTape()
	o := outer.Watch(x)
	w := inner.Watch(o)
	second := outer.Gradient(inner.Gradient(f(w), w)[0].Sum(), o)[0]
	for name, a := range map[string]*nd.Array{
		"HessianVector": autograd.HessianVector(f, x, v), "Hessian": autograd.Hessian(f, x), "Jacobian": autograd.Jacobian(f, x), "Gradient": second,
	} {
		nd.AddInto(a, a, a) // an error of what a tape watches
		require.NoError(t, a.Wait(t.Context()), name)
	}
}

func TestWhatAClosedTapeHasWatchedMayBeWritten(t *testing.T) {
	tape := autograd.NewTape()
	w := tape.Watch(nd.FromSlice([]float64{2, 3}))
	y := w.Square()
	require.Panics(t, func() { nd.AddInto(y, y, y) })
	tape.Gradient(y.Sum(), w)
	nd.AddInto(y, y, w)
	require.Equal(t, []float64{6, 12}, values(t, y))
}
