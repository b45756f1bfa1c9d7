package autograd_test

import (
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func numbers(t *testing.T, a *nd.Array) []complex128 {
	t.Helper()
	values, err := nd.Values[complex128](a)
	require.NoError(t, err)
	return values
}

// Wirtinger's derivatives by hand: those of |z|², z·z̄, the argument and a function that is holomorphic.
func TestGradientsOfComplexNumbersAreThoseOfTheirParts(t *testing.T) {
	z := 3 - 4i
	for name, c := range map[string]struct {
		loss func(x *nd.Array) *nd.Array
		want complex128
	}{
		"square of the magnitude":    {func(x *nd.Array) *nd.Array { return x.Abs().Square() }, 2 * z},
		"product with conjugate":     {func(x *nd.Array) *nd.Array { return x.Mul(x.Conj()).Real() }, 2 * z},
		"magnitude":                  {func(x *nd.Array) *nd.Array { return x.Abs() }, z / 5},
		"real part":                  {func(x *nd.Array) *nd.Array { return x.Real() }, 1},
		"imaginary part":             {func(x *nd.Array) *nd.Array { return x.Imag() }, 1i},
		"imaginary part of conj":     {func(x *nd.Array) *nd.Array { return x.Conj().Imag() }, -1i},
		"argument":                   {func(x *nd.Array) *nd.Array { return x.Angle() }, 1i * z / 25},
		"real part of exp":           {func(x *nd.Array) *nd.Array { return x.Exp().Real() }, cmplx.Conj(cmplx.Exp(z))},
		"imaginary part of z³":       {func(x *nd.Array) *nd.Array { return x.Mul(x).Mul(x).Imag() }, cmplx.Conj(3*z*z) * 1i},
		"real part of a product":     {func(x *nd.Array) *nd.Array { return x.MulScalar(2).Real() }, 2},
		"parts, and a whole of them": {func(x *nd.Array) *nd.Array { return nd.Complex(x.Imag(), x.Real()).Abs().Square() }, 2 * z},
	} {
		value, gradients := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return c.loss(xs[0]).Sum() }, nd.FromSlice([]complex128{z}))
		require.Equal(t, dtype.Float64, value.DType(), name)
		require.InDelta(t, 0, cmplx.Abs(c.want-numbers(t, gradients[0])[0]), 1e-12*(1+cmplx.Abs(c.want)), name)
	}
}

func TestStepsAgainstComplexGradientsDescend(t *testing.T) {
	target := nd.FromSlice([]complex64{1 + 2i, -3i, 0.5, -1 + 1i})
	x := nd.Zeros[complex64](4)
	transform := nd.FromSlice([]complex64{1, 1, 1, 1, 1, -1i, -1, 1i, 1, -1, 1, -1, 1, 1i, -1, -1i}, 4, 4) // Fourier's
	loss := func(xs ...*nd.Array) *nd.Array { return transform.MatMul(xs[0]).Sub(target).Abs().Square().Sum() }
	for range 20 {
		_, gradients := autograd.ValueAndGradient(loss, x)
		x = x.Sub(gradients[0].MulScalar(0.1))
	}
	last, err := nd.Item[float32](loss(x))
	require.NoError(t, err)
	require.Less(t, last, float32(1e-9))
}

func TestRealParametersBesideComplexNumbersHaveRealGradients(t *testing.T) {
	tape := autograd.NewTape()
	x := tape.Watch(nd.FromSlice([]float32{1, 2}))
	g := tape.Gradient(x.Mul(nd.FromSlice([]complex64{1i, 2})).Abs().Square().Sum(), x)[0]
	require.Equal(t, dtype.Float32, g.DType())
	values, err := nd.Values[float32](g)
	require.NoError(t, err)
	require.Equal(t, []float32{2, 16}, values)
}

func TestUpstreamGradientsMayBeComplex(t *testing.T) {
	tape := autograd.NewTape()
	z := tape.Watch(nd.FromSlice([]complex128{1 + 2i, 3}))
	y := z.Mul(z)
	g := tape.GradientWith(y, nd.FromSlice([]complex128{1i, 1 + 1i}), z)[0]
	require.Equal(t, []complex128{(2 - 4i) * 1i, 6 * (1 + 1i)}, numbers(t, g))
}

func TestGradientsOfComplexGradientsAreRecorded(t *testing.T) {
	value := func(xs ...*nd.Array) *nd.Array { return xs[0].Abs().Square().Square().Sum() } // |z|⁴, whose gradient is 4z|z|²
	_, outer := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array {
		_, inner := autograd.ValueAndGradient(value, xs[0])
		return inner[0].Real().Sum() // 4x(x²+y²)
	}, nd.FromSlice([]complex128{1 + 2i}))
	require.InDelta(t, 0, cmplx.Abs(12*1+4*4+8*1*2*1i-numbers(t, outer[0])[0]), 1e-12)
}

func TestWhatNeedsARealNumberSaysSo(t *testing.T) {
	z := nd.FromSlice([]complex128{1i})
	square := func(x *nd.Array) *nd.Array { return x.Mul(x) }
	for name, call := range map[string]func(){
		"gradient": func() {
			tape := autograd.NewTape()
			tape.Gradient(square(tape.Watch(z)), z)
		},
		"ValueAndGradient": func() {
			autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return square(xs[0]) }, z)
		},
		"Jacobian":      func() { autograd.Jacobian(square, z) },
		"Hessian":       func() { autograd.Hessian(func(x *nd.Array) *nd.Array { return x.Abs() }, z) },
		"HessianVector": func() { autograd.HessianVector(func(x *nd.Array) *nd.Array { return x.Abs() }, z, z) },
	} {
		err := nd.Try(call)
		require.ErrorIs(t, err, fault.ErrDType, name)
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, "real", name)
		require.ErrorContains(t, err, "complex_test.go", name)
	}
}
