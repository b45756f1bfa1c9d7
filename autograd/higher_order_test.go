package autograd_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
)

// smooth is a function of one number with its first derivatives in closed form, from the first on: those of MXNet's
// tests/python/unittest/test_higher_order_grad.py.
type smooth struct {
	f           function
	derivatives []func(v float64) float64
	at          []float64
}

func power(factor, exponent float64) func(v float64) float64 {
	return func(v float64) float64 { return factor * math.Pow(v, exponent) }
}

func constant(c float64) func(v float64) float64 { return func(float64) float64 { return c } }

var (
	anywhere = []float64{-1.7, -0.4, 0.3, 1.2}
	inside   = []float64{-0.8, -0.3, 0.2, 0.7} // of −1 … 1
	positive = []float64{0.2, 0.9, 1.6, 3.1}
	tanhUp   = func(v float64) float64 { return 1 - math.Tanh(v)*math.Tanh(v) }
	tanUp    = func(v float64) float64 { return 1 + math.Tan(v)*math.Tan(v) }
	logistic = func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
)

type slopes = []func(v float64) float64

var smooths = map[string]smooth{
	"sin":        {(*nd.Array).Sin, slopes{math.Cos, func(v float64) float64 { return -math.Sin(v) }, func(v float64) float64 { return -math.Cos(v) }}, anywhere},
	"cos":        {(*nd.Array).Cos, slopes{func(v float64) float64 { return -math.Sin(v) }, func(v float64) float64 { return -math.Cos(v) }, math.Sin}, anywhere},
	"tan":        {(*nd.Array).Tan, slopes{tanUp, func(v float64) float64 { return 2 * math.Tan(v) * tanUp(v) }}, inside},
	"sinh":       {(*nd.Array).Sinh, slopes{math.Cosh, math.Sinh, math.Cosh}, anywhere},
	"cosh":       {(*nd.Array).Cosh, slopes{math.Sinh, math.Cosh, math.Sinh}, anywhere},
	"tanh":       {(*nd.Array).Tanh, slopes{tanhUp, func(v float64) float64 { return -2 * math.Tanh(v) * tanhUp(v) }}, anywhere},
	"asin":       {(*nd.Array).Asin, slopes{func(v float64) float64 { return math.Pow(1-v*v, -0.5) }, func(v float64) float64 { return v * math.Pow(1-v*v, -1.5) }}, inside},
	"acos":       {(*nd.Array).Acos, slopes{func(v float64) float64 { return -math.Pow(1-v*v, -0.5) }, func(v float64) float64 { return -v * math.Pow(1-v*v, -1.5) }}, inside},
	"atan":       {(*nd.Array).Atan, slopes{func(v float64) float64 { return 1 / (1 + v*v) }, func(v float64) float64 { return -2 * v / ((1 + v*v) * (1 + v*v)) }}, anywhere},
	"asinh":      {(*nd.Array).Asinh, slopes{func(v float64) float64 { return math.Pow(v*v+1, -0.5) }, func(v float64) float64 { return -v * math.Pow(v*v+1, -1.5) }}, anywhere},
	"acosh":      {(*nd.Array).Acosh, slopes{func(v float64) float64 { return math.Pow(v*v-1, -0.5) }, func(v float64) float64 { return -v * math.Pow(v*v-1, -1.5) }}, []float64{1.3, 2, 5}},
	"atanh":      {(*nd.Array).Atanh, slopes{func(v float64) float64 { return 1 / (1 - v*v) }, func(v float64) float64 { return 2 * v / ((1 - v*v) * (1 - v*v)) }}, inside},
	"radians":    {func(x *nd.Array) *nd.Array { return x.MulScalar(math.Pi / 180) }, slopes{constant(math.Pi / 180), constant(0)}, anywhere},
	"relu":       {(*nd.Array).Relu, slopes{func(v float64) float64 { return math.Max(0, math.Copysign(1, v)) }, constant(0)}, anywhere},
	"log":        {(*nd.Array).Log, slopes{power(1, -1), power(-1, -2), power(2, -3)}, positive},
	"log2":       {(*nd.Array).Log2, slopes{power(1/math.Ln2, -1), power(-1/math.Ln2, -2)}, positive},
	"log10":      {(*nd.Array).Log10, slopes{power(1/math.Ln10, -1), power(-1/math.Ln10, -2)}, positive},
	"log1p":      {(*nd.Array).Log1p, slopes{func(v float64) float64 { return 1 / (1 + v) }, func(v float64) float64 { return -1 / ((1 + v) * (1 + v)) }}, positive},
	"expm1":      {(*nd.Array).Expm1, slopes{math.Exp, math.Exp, math.Exp}, anywhere},
	"square":     {(*nd.Array).Square, slopes{power(2, 1), constant(2), constant(0)}, anywhere},
	"reciprocal": {(*nd.Array).Reciprocal, slopes{power(-1, -2), power(2, -3), power(-6, -4)}, positive},
	"sqrt":       {(*nd.Array).Sqrt, slopes{power(0.5, -0.5), power(-0.25, -1.5)}, positive},
	"cbrt":       {(*nd.Array).Cbrt, slopes{power(1./3, -2./3), power(-2./9, -5./3)}, positive},
	"rsqrt":      {(*nd.Array).Rsqrt, slopes{power(-0.5, -1.5), power(0.75, -2.5)}, positive},
	"rcbrt":      {func(x *nd.Array) *nd.Array { return x.Cbrt().Reciprocal() }, slopes{power(-1./3, -4./3), power(4./9, -7./3)}, positive},
	"pow":        {func(x *nd.Array) *nd.Array { return x.PowScalar(2.5) }, slopes{power(2.5, 1.5), power(3.75, 0.5)}, positive},
	"abs":        {(*nd.Array).Abs, slopes{func(v float64) float64 { return math.Copysign(1, v) }, constant(0)}, anywhere},
	"clip":       {func(x *nd.Array) *nd.Array { return x.ClipScalar(-0.5, 1) }, slopes{func(v float64) float64 { return map[bool]float64{true: 1}[v > -0.5 && v < 1] }, constant(0)}, anywhere},
	"erf": {(*nd.Array).Erf, slopes{func(v float64) float64 { return 2 / math.SqrtPi * math.Exp(-v*v) },
		func(v float64) float64 { return -4 * v / math.SqrtPi * math.Exp(-v*v) }}, anywhere},
	"sigmoid": {(*nd.Array).Sigmoid, slopes{func(v float64) float64 { return logistic(v) * (1 - logistic(v)) },
		func(v float64) float64 { return logistic(v) * (1 - logistic(v)) * (1 - 2*logistic(v)) }}, anywhere},
}

// TestDerivativesOfHigherOrderAreClosedForms compares the derivatives with closed forms, and those from the second on with central
// differences of the one before.
func TestDerivativesOfHigherOrderAreClosedForms(t *testing.T) {
	for name, c := range smooths {
		t.Run(name, func(t *testing.T) {
			x, derivative := nd.FromSlice(c.at), c.f
			for order, closed := range c.derivatives {
				lower := derivative
				derivative = func(x *nd.Array) *nd.Array { return slope(lower, x) }
				want := make([]float64, len(c.at))
				for i, v := range c.at {
					want[i] = closed(v)
				}
				got := values(t, derivative(x))
				requireNear(t, want, got, 1e-12, "order %d", order+1)
				if order > 0 {
					requireNear(t, difference(t, lower, c.at, 1e-5), got, 1e-7, "order %d", order+1)
				}
			}
		})
	}
}

// TestMixedSecondDerivatives are those of functions of two arrays: each block of the Hessian against central differences.
func TestMixedSecondDerivatives(t *testing.T) {
	at := []float64{0.6, 1.4, 0.9, 2.2}
	part := func(x *nd.Array, i int, shape ...int) *nd.Array {
		return x.Index(nd.Span(2*i, 2*i+2)).Reshape(shape...)
	}
	for name, f := range map[string]function{
		"atan2":              func(x *nd.Array) *nd.Array { return part(x, 0, 2).Atan2(part(x, 1, 2)) },
		"hypot":              func(x *nd.Array) *nd.Array { return part(x, 0, 2).Hypot(part(x, 1, 2)) },
		"product":            func(x *nd.Array) *nd.Array { return part(x, 0, 2).Mul(part(x, 1, 2)) },
		"quotient":           func(x *nd.Array) *nd.Array { return part(x, 0, 2).Div(part(x, 1, 2)) },
		"power":              func(x *nd.Array) *nd.Array { return part(x, 0, 2).Pow(part(x, 1, 2)) },
		"dense":              func(x *nd.Array) *nd.Array { return part(x, 0, 1, 2).MatMul(part(x, 1, 2, 1)).Square() },
		"dense of a batch":   func(x *nd.Array) *nd.Array { return part(x, 0, 2, 1).MatMul(part(x, 1, 1, 2)).Tanh() },
		"dense, broadcast":   func(x *nd.Array) *nd.Array { return part(x, 0, 1, 2).MatMul(part(x, 1, 2)).Add(part(x, 0, 2)).Exp() },
		"softmax":            func(x *nd.Array) *nd.Array { return x.Reshape(2, 2).Softmax(1).Index(nd.Whole, 0) },
		"norm and its power": func(x *nd.Array) *nd.Array { return x.Square().Sum().Sqrt().PowScalar(3) },
	} {
		t.Run(name, func(t *testing.T) {
			x := nd.FromSlice(at)
			requireNear(t, difference(t, f, at, 1e-6), values(t, slope(f, x)), 1e-7)
			hessian := autograd.Hessian(total(f), x)
			for i := range at {
				row := func(x *nd.Array) *nd.Array { return slope(f, x).Index(i) }
				requireNear(t, difference(t, row, at, 1e-5), values(t, hessian.Index(i)), 1e-7, "row %d", i)
			}
			requireNear(t, values(t, hessian), values(t, hessian.T()), 1e-12, "it is symmetric")
		})
	}
}

func TestDropoutTwiceDifferentiatedKeepsItsMask(t *testing.T) {
	env := nd.Zeros[float64](1).Env().WithSeed(4)
	x := nd.FromSliceIn(env, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	outer := autograd.NewTape()
	handle := outer.Watch(x)
	var kept *nd.Array
	first := slope(func(x *nd.Array) *nd.Array { kept = dropout(x); return kept.Square() }, handle)
	second := outer.Gradient(first.Sum(), x)[0]
	for i, v := range values(t, kept) {
		scale := v / float64(i+1) // 0 or 2
		require.Equal(t, 2*scale*v, values(t, first)[i])
		require.Equal(t, 2*scale*scale, values(t, second)[i])
	}
}
