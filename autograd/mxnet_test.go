package autograd_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// The properties of MXNet's tests/python/unittest/test_autograd.py, for tapes. What it tests of sparse arrays and of symbols has no
// counterpart; its global modes are the Ctx of a call of package nn.

func TestGradientsAreClosedFormsBitByBit(t *testing.T) {
	x, y := nd.FromSlice([]float64{0.3, 1.7, -2.5, 4}), nd.FromSlice([]float64{2, -0.6, 1.1, 3})
	cases := map[string]struct {
		f    func(x, y *nd.Array) *nd.Array
		want [2]*nd.Array
	}{
		"exp":       {func(x, _ *nd.Array) *nd.Array { return x.Exp() }, [2]*nd.Array{x.Exp(), nd.ZerosLike(y)}},
		"half x":    {func(x, _ *nd.Array) *nd.Array { return x.DivScalar(2) }, [2]*nd.Array{nd.FullLike(x, 0.5), nd.ZerosLike(y)}},
		"square":    {func(x, _ *nd.Array) *nd.Array { return x.Square() }, [2]*nd.Array{x.MulScalar(2), nd.ZerosLike(y)}},
		"sum":       {func(x, y *nd.Array) *nd.Array { return x.Add(y) }, [2]*nd.Array{nd.OnesLike(x), nd.OnesLike(y)}},
		"product":   {func(x, y *nd.Array) *nd.Array { return x.Mul(y) }, [2]*nd.Array{y, x}},
		"x + y²":    {func(x, y *nd.Array) *nd.Array { return x.Add(y.Square()) }, [2]*nd.Array{nd.OnesLike(x), y.MulScalar(2)}},
		"y alone":   {func(_, y *nd.Array) *nd.Array { return y.MulScalar(2) }, [2]*nd.Array{nd.ZerosLike(x), nd.FullLike(y, 2)}},
		"xy + x, x": {func(x, y *nd.Array) *nd.Array { return x.Mul(y).Add(x) }, [2]*nd.Array{y.AddScalar(1), x}},
	}
	for name, c := range cases {
		_, g := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return c.f(xs[0], xs[1]).Sum() }, x, y)
		for i, want := range c.want {
			require.Equal(t, values(t, want), values(t, g[i]), name)
		}
	}
}

func TestGradientsAreThoseOfTheChosenOperands(t *testing.T) {
	a, b := nd.FromSlice([]float64{1, 2, 3}), nd.FromSlice([]float64{-4, 5, 6})
	f := func(a, b *nd.Array, sum bool) *nd.Array {
		if sum {
			return a.Add(b)
		}
		return a.Mul(b)
	}
	ones := []float64{1, 1, 1}
	for _, sum := range []bool{true, false} {
		want := map[*nd.Array][]float64{a: values(t, b), b: values(t, a)}
		if sum {
			want = map[*nd.Array][]float64{a: ones, b: ones}
		}
		for _, chosen := range [][]*nd.Array{{a}, {b}, {a, b}, {b, a}} {
			tape := autograd.NewTape()
			operand := func(x *nd.Array) *nd.Array {
				if slices.Contains(chosen, x) {
					return tape.Watch(x)
				}
				return x
			}
			for i, g := range tape.Gradient(f(operand(a), operand(b), sum).Sum(), chosen...) {
				require.Equal(t, want[chosen[i]], values(t, g))
			}
		}
	}
}

func TestSeveralResultsEachHaveAnUpstream(t *testing.T) {
	x := nd.Ones[float64](3, 5)
	ones, db, dc := []float64{1, 1, 1, 1, 1}, []float64{1, 2, 3, 4, 5}, []float64{5, 4, 3, 2, 1}
	want := slices.Concat(ones, db, dc)
	split := func(x *nd.Array) (a, b, c *nd.Array) { return x.Index(0), x.Index(1), x.Index(2) }

	tape := autograd.NewTape()
	a, b, c := split(tape.Watch(x))
	loss := a.Sum().Add(b.Mul(nd.FromSlice(db)).Sum()).Add(c.Mul(nd.FromSlice(dc)).Sum())
	require.Equal(t, want, values(t, tape.Gradient(loss, x)[0]))

	tape = autograd.NewTape()
	a, b, c = split(tape.Watch(x))
	require.Equal(t, want, values(t, tape.GradientWith(nd.Concat(0, a, b, c), nd.FromSlice(want), x)[0]))
}

func TestUpstreamGradientsScaleEachElement(t *testing.T) {
	x := nd.FromSlice([]float64{1, 2, 3, 4})
	tape := autograd.NewTape(autograd.Persistent())
	defer tape.Close()
	y := tape.Watch(x).MulScalar(2)
	require.Equal(t, []float64{0.2, 0.4, -2, 0}, values(t, tape.GradientWith(y, nd.FromSlice([]float64{0.1, 0.2, -1, 0}), x)[0]))
	require.Equal(t, []float64{2, 2, 2, 2}, values(t, tape.GradientWith(y, nd.OnesLike(y).Detach(), x)[0]))
}

func TestDetachStopsGradients(t *testing.T) {
	x := nd.FromSlice([]float64{3})
	tape := autograd.NewTape()
	handle := tape.Watch(x)
	require.Equal(t, []float64{9}, values(t, tape.Gradient(handle.Square().Detach().Mul(handle).Sum(), x)[0]), "x²·x with x² a constant")
	outer := autograd.NewTape()
	handle = outer.Watch(x)
	stopped := slope(func(x *nd.Array) *nd.Array { return x.Square().Detach().Mul(x) }, handle)
	require.False(t, outer.Connected(stopped, x), "for all tapes")
}

func TestASecondGradientNeedsAPersistentTape(t *testing.T) {
	x, g := nd.FromSlice([]float64{5}), nd.Zeros[float64](1)
	tape := autograd.NewTape(autograd.Persistent())
	loss := tape.Watch(x).AddScalar(1).Sum()
	for range 2 {
		tape.GradientAddInto([]*nd.Array{g}, loss, x)
	}
	require.Equal(t, []float64{2}, values(t, g), "added twice")
	once := autograd.NewTape()
	loss = once.Watch(x).Square().Sum()
	once.GradientInto([]*nd.Array{g}, loss, x)
	require.Equal(t, []float64{10}, values(t, g), "written")
	require.ErrorIs(t, nd.Try(func() { once.GradientInto([]*nd.Array{g}, loss, x) }), fault.ErrMisuse)
}

func TestSigmoidAsAFunctionOfItsOwnEqualsTheOperator(t *testing.T) {
	sigmoid := &autograd.Function{
		Name: "sigmoid",
		Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) {
			y := in[0].Neg().Exp().AddScalar(1).Reciprocal()
			return []*nd.Array{y}, []*nd.Array{y}
		},
		Backward: func(saved, up []*nd.Array) []*nd.Array {
			return []*nd.Array{saved[0].Neg().AddScalar(1).Mul(saved[0]).Mul(up[0])}
		},
	}
	five := func(x *nd.Array) *nd.Array {
		for range 5 {
			x = sigmoid.Call(x)[0]
		}
		return x
	}
	operators := func(x *nd.Array) *nd.Array {
		for range 5 {
			x = x.Sigmoid()
		}
		return x
	}
	x := nd.FromSlice([]float64{-1.5, 0.2, 0.9})
	requireNear(t, values(t, slope((*nd.Array).Sigmoid, x)), values(t, slope(func(x *nd.Array) *nd.Array { return sigmoid.Call(x)[0] }, x)), 1e-15)
	requireNear(t, values(t, slope(operators, x)), values(t, slope(five, x)), 1e-15)
}

func TestAFunctionOfTwoResultsEqualsItsOperators(t *testing.T) {
	both := &autograd.Function{
		Name: "quotient and product",
		Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) {
			return []*nd.Array{in[0].Div(in[1]), in[0].Mul(in[1])}, in
		},
		Backward: func(saved, up []*nd.Array) []*nd.Array {
			x, y := saved[0], saved[1]
			dx := up[0].Div(y).Add(up[1].Mul(y))
			return []*nd.Array{dx, up[1].Mul(x).Sub(up[0].Mul(x).Div(y).Div(y))}
		},
	}
	x, y := nd.FromSlice([]float64{0.4, 1.5, 0.9}), nd.FromSlice([]float64{0.7, 0.3, 2})
	_, got := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array {
		r := both.Call(xs...)
		return r[0].Add(r[1]).Sum()
	}, x, y)
	_, want := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return xs[0].Div(xs[1]).Add(xs[0].Mul(xs[1])).Sum() }, x, y)
	for i := range want {
		requireNear(t, values(t, want[i]), values(t, got[i]), 1e-15)
	}
}

func TestGradientsOfGradientsOfExpPlusX(t *testing.T) {
	f := func(x *nd.Array) *nd.Array { return x.Exp().Add(x) }
	x := nd.FromSlice([]float64{1})
	requireNear(t, []float64{math.E + 1}, values(t, slope(f, x)), 1e-15)
	requireNear(t, []float64{math.E}, values(t, slope(func(x *nd.Array) *nd.Array { return slope(f, x) }, x)), 1e-15)
}

func TestGradientsOfValuesInBetween(t *testing.T) {
	x := nd.FromSlice([]float64{1, 2, 3})
	tape := autograd.NewTape(autograd.Persistent())
	defer tape.Close()
	handle := tape.Watch(x)
	u := handle.Square()
	v := u.Mul(handle)
	for range 2 {
		g := tape.Gradient(v.Sum(), u, x)
		require.Equal(t, []float64{1, 2, 3}, values(t, g[0]))
		require.Equal(t, []float64{3, 12, 27}, values(t, g[1]))
	}
	// Watched anew, a value in between begins a graph of its own.
	again := tape.Watch(u.Detach())
	g := tape.Gradient(again.Mul(handle).Sum(), again, x)
	require.Equal(t, []float64{1, 2, 3}, values(t, g[0]))
	require.Equal(t, []float64{1, 4, 9}, values(t, g[1]))
}
