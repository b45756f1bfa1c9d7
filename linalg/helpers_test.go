package linalg_test

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

var types = []dtype.DType{dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128}

// batches are axes in front of matrices.
var batches = [][]int{{}, {3}, {2, 1, 2}, {0}}

// matrices returns matrices of normal numbers, of complex ones both parts.
func matrices(d dtype.DType, shape ...int) *nd.Array {
	if d.IsComplex() {
		return nd.Complex(matrices(d.RealPart(), shape...), random.Normal(nd.DefaultEnv().WithSeed(uint64(len(shape)+70)), d.RealPart(), 0, 1, shape...))
	}
	return random.Normal(nd.DefaultEnv().WithSeed(uint64(len(shape)+7)), d, 0, 1, shape...)
}

// regular returns square matrices that are far from singular.
func regular(d dtype.DType, batch []int, size int) *nd.Array {
	return matrices(d, slices.Concat(batch, []int{size, size})...).Add(identity(d, size).MulScalar(float64(3 + size)))
}

func adjoint(a *nd.Array) *nd.Array { return a.MatrixTranspose().Conj() }

// definite returns symmetric or Hermitian positive definite matrices.
func definite(d dtype.DType, batch []int, size int) *nd.Array {
	a := matrices(d, slices.Concat(batch, []int{size, size})...)
	return a.MatMul(adjoint(a)).Add(identity(d, size))
}

func identity(d dtype.DType, size int) *nd.Array { return nd.Eye[float64](size).Cast(d) }

func unit(d dtype.DType) float64 {
	if d.RealPart() == dtype.Float32 {
		return 1.0 / (1 << 23)
	}
	return 1.0 / (1 << 52)
}

func valuesOf(t testing.TB, a *nd.Array) []float64 {
	t.Helper()
	values, err := nd.ValuesAs[float64](a)
	require.NoError(t, err)
	return values
}

func complexesOf(t testing.TB, a *nd.Array) []complex128 {
	t.Helper()
	values, err := nd.ValuesAs[complex128](a)
	require.NoError(t, err)
	return values
}

// requireNear compares arrays of the same shape and dtype.
func requireNear(t testing.TB, want, got *nd.Array, tolerance float64, about ...any) {
	t.Helper()
	require.Equal(t, want.Shape(), got.Shape(), about...)
	require.Equal(t, want.DType(), got.DType(), about...)
	v, w := complexesOf(t, got), complexesOf(t, want)
	for i := range w {
		require.LessOrEqual(t, cmplx.Abs(v[i]-w[i]), tolerance*(1+cmplx.Abs(w[i])), "element %d: want %v, got %v %s", i, w[i], v[i], fmt.Sprint(about...))
	}
}

// eachKind runs body for all dtypes, all batches, and some sizes.
func eachKind(t *testing.T, sizes []int, body func(t *testing.T, d dtype.DType, batch []int, size int)) {
	for _, d := range types {
		for _, batch := range batches {
			for _, size := range sizes {
				t.Run(fmt.Sprint(d, batch, size), func(t *testing.T) { body(t, d, batch, size) })
			}
		}
	}
}

// views returns arrays with the elements of a, of some matrices, that lie in other ways in memory.
func views(a *nd.Array) map[string]*nd.Array {
	shape := a.Shape()
	wide := slices.Clone(shape)
	wide[len(wide)-1] *= 2
	holes := nd.FullIn(a.Env(), a.DType(), 9, wide...)
	part := holes.Index(nd.Rest, nd.SpanBy(1, nd.Open, 2))
	nd.CopyInto(part, a)
	return map[string]*nd.Array{
		"transposed": a.MatrixTranspose().Copy().MatrixTranspose(),
		"with holes": part,
		"backward":   a.Flip(-1, -2).Copy().Flip(-1, -2),
	}
}

// requireSameForViews compares the bytes of what f makes of a and of its views.
func requireSameForViews(t *testing.T, a *nd.Array, f func(a *nd.Array) []*nd.Array) {
	t.Helper()
	want := f(a)
	for name, view := range views(a) {
		for i, got := range f(view) {
			require.Equal(t, bytesOf(t, want[i]), bytesOf(t, got), "%s, result %d", name, i)
		}
	}
}

func bytesOf(t *testing.T, a *nd.Array) []byte {
	t.Helper()
	memory, err := a.MarshalBinary()
	require.NoError(t, err)
	return memory
}

// requireGradients compares the gradients of the sum of the parts of f, times weights, with central differences.
func requireGradients(t *testing.T, f func(xs ...*nd.Array) *nd.Array, xs ...*nd.Array) {
	t.Helper()
	weighed := func(xs ...*nd.Array) *nd.Array {
		y := f(xs...)
		weights := random.Uniform(nd.DefaultEnv().WithSeed(5), dtype.Float64, 0.5, 1.5, y.Shape()...)
		if y.DType().IsComplex() {
			return y.Real().Mul(weights).Add(y.Imag().Mul(weights.Square())).Sum()
		}
		return y.Mul(weights).Sum()
	}
	_, gradients := autograd.ValueAndGradient(weighed, xs...)
	for i, x := range xs {
		values, got := complexesOf(t, x), complexesOf(t, gradients[i])
		require.Equal(t, x.Shape(), gradients[i].Shape())
		require.Equal(t, x.DType(), gradients[i].DType())
		slope := func(j int, step complex128) float64 {
			at := func(v complex128) float64 {
				moved, all := slices.Clone(values), slices.Clone(xs)
				moved[j] = v
				all[i] = nd.FromSlice(moved, x.Shape()...)
				if !x.DType().IsComplex() {
					all[i] = all[i].Real().Copy()
				}
				return valuesOf(t, weighed(all...))[0]
			}
			return (at(values[j]+step) - at(values[j]-step)) / (2 * cmplx.Abs(step))
		}
		for j := range values {
			want := slope(j, 1e-5)
			require.InDelta(t, want, real(got[j]), 1e-6*(1+math.Abs(want)), "operand %d element %d", i, j)
			if x.DType().IsComplex() {
				want = slope(j, 1e-5i)
				require.InDelta(t, want, imag(got[j]), 1e-6*(1+math.Abs(want)), "operand %d element %d, imaginary part", i, j)
			}
		}
	}
}

// requireError waits for a and looks for all texts in its error.
func requireError(t *testing.T, a *nd.Array, texts ...string) {
	t.Helper()
	err := a.Wait(context.Background())
	for _, text := range texts {
		require.ErrorContains(t, err, text)
	}
}
