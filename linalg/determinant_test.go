package linalg_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

// leibniz returns the determinant of a matrix by its first row.
func leibniz(a [][]complex128) complex128 {
	if len(a) == 0 {
		return 1
	}
	sum, sign := complex128(0), complex128(1)
	for j, v := range a[0] {
		minor := [][]complex128{}
		for _, row := range a[1:] {
			minor = append(minor, slices.Concat(row[:j], row[j+1:]))
		}
		sum += sign * v * leibniz(minor)
		sign = -sign
	}
	return sum
}

func TestDeterminantsAreThoseOfLeibniz(t *testing.T) {
	eachKind(t, []int{0, 1, 2, 3, 6}, func(t *testing.T, d dtype.DType, batch []int, size int) {
		a := matrices(d, slices.Concat(batch, []int{size, size})...)
		elements, want := complexesOf(t, a), []complex128{}
		for i := range a.Count() / max(1, size*size) {
			rows := [][]complex128{}
			for row := range size {
				start := (i*size + row) * size
				rows = append(rows, elements[start:start+size])
			}
			want = append(want, leibniz(rows))
		}
		if size == 0 {
			want = slices.Repeat([]complex128{1}, linalg.Determinant(a).Count())
		}
		determinant := linalg.Determinant(a)
		exact := nd.FromSlice(want, batch...)
		if !d.IsComplex() {
			exact = exact.Real()
		}
		requireNear(t, exact.Cast(d), determinant, 1e3*unit(d))
		sign, logarithm := linalg.SignLogDeterminant(a)
		requireNear(t, determinant, sign.Mul(logarithm.Exp()), 1e3*unit(d))
		require.Equal(t, d.RealPart(), logarithm.DType())
		rounded := 0.0 // a real sign is one or the other
		if d.IsComplex() {
			rounded = 100 * unit(d)
		}
		requireNear(t, determinant.Sign(), sign, rounded)
	})
}

func TestDeterminantsOfSingularMatricesAreZero(t *testing.T) {
	for _, d := range types {
		a := nd.FromSlice([]float64{1, 2, 2, 4, 0, 0, 0, 0}, 2, 2, 2).Cast(d)
		require.Equal(t, []complex128{0, 0}, complexesOf(t, linalg.Determinant(a)))
		sign, logarithm := linalg.SignLogDeterminant(a)
		require.Equal(t, []complex128{0, 0}, complexesOf(t, sign))
		require.Equal(t, []float64{math.Inf(-1), math.Inf(-1)}, valuesOf(t, logarithm))
	}
}

func TestSignsOfComplexDeterminantsHaveMagnitudeOne(t *testing.T) {
	for _, d := range types[2:] {
		sign, _ := linalg.SignLogDeterminant(matrices(d, 3, 50, 50))
		requireNear(t, nd.Ones[float64](3).Cast(d.RealPart()), sign.Abs(), 4*unit(d))
	}
	sign, logarithm := linalg.SignLogDeterminant(nd.FromNested([][]complex128{{1e300i, 0}, {0, 1e-300}}))
	requireNear(t, nd.Full(1i), sign, 0)
	requireNear(t, nd.Full(0.0), logarithm, 1e-12)
}

func TestDeterminantsOverflowOnlyAsAWhole(t *testing.T) {
	huge := nd.FromSlice([]float64{1e300, 0, 0, 0, 1e300, 0, 0, 0, 1e-400 + 1e-320}, 3, 3)
	require.InEpsilon(t, 1e280, valuesOf(t, linalg.Determinant(huge))[0], 1e-3)
	require.Equal(t, math.Inf(1), valuesOf(t, linalg.Determinant(huge.Index(nd.Span(0, 2), nd.Span(0, 2))))[0])
	turned := complexesOf(t, linalg.Determinant(huge.Mul(nd.Weak(1i))))[0]
	require.InEpsilon(t, -1e280, imag(turned), 1e-3)
	require.Zero(t, real(turned))
}

func TestDeterminantsOfNaNAreNaN(t *testing.T) {
	a := nd.FromSlice([]float32{1, 2, float32(math.NaN()), 4}, 2, 2)
	_, logarithm := linalg.SignLogDeterminant(a)
	require.True(t, math.IsNaN(valuesOf(t, linalg.Determinant(a))[0]))
	require.True(t, math.IsNaN(valuesOf(t, logarithm)[0]))
}
