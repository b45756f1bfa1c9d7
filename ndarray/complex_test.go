package ndarray_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestComplexNumbersAreMadeOfTheirParts(t *testing.T) {
	z := nd.Complex(nd.FromSlice([]float32{1, 2, 3}), nd.FromSlice([]float32{-1}))
	require.Equal(t, []complex64{1 - 1i, 2 - 1i, 3 - 1i}, values[complex64](t, z))
	require.Equal(t, []complex64{1 + 1i, 2 + 1i, 3 + 1i}, values[complex64](t, z.Conj()))
	into := nd.Zeros[complex64](3)
	nd.ComplexInto(into, z.Imag(), z.Real())
	require.Equal(t, []complex64{-1 + 1i, -1 + 2i, -1 + 3i}, values[complex64](t, into))
	nd.CopyInto(z.Imag(), nd.FromSlice([]float32{4, 5, 6}))
	nd.CopyInto(z.Index(nd.SpanBy(2, nd.Open, -2)).Real(), nd.Zeros[float32](2))
	require.Equal(t, []complex64{4i, 2 + 5i, 6i}, values[complex64](t, z))
	require.Equal(t, []float32{6, 4}, values[float32](t, z.Index(nd.SpanBy(2, nd.Open, -2)).Imag()))
	require.ErrorIs(t, nd.Try(func() { nd.Complex(z, z) }), fault.ErrDType)
}

func TestComplexElementsAreReadAndConverted(t *testing.T) {
	z := nd.FromSlice([]complex128{1 + 2i, -3i}).ExpandDims(0)
	v, err := nd.At[complex128](z, 0, -1)
	require.NoError(t, err)
	require.Equal(t, -3i, v)
	single, err := nd.ValuesAs[complex64](z)
	require.NoError(t, err)
	require.Equal(t, []complex64{1 + 2i, -3i}, single)
	wide, err := nd.ValuesAs[complex128](nd.FromSlice([]int8{-7}))
	require.NoError(t, err)
	require.Equal(t, []complex128{-7}, wide)
	elements, err := nd.Iter[complex128](context.Background(), z)
	require.NoError(t, err)
	for i, v := range elements {
		require.Equal(t, []complex128{1 + 2i, -3i}[i], v)
	}
	for _, call := range []func(){func() { _, _ = nd.ValuesAs[float64](z) }, func() { z.Cast(dtype.Int32) }, func() { nd.CastInto(nd.Zeros[float64](1, 2), z) }} {
		err := nd.Try(call)
		require.ErrorIs(t, err, fault.ErrDType)
		require.ErrorContains(t, err, "take its real or imaginary part, or its magnitude")
		require.ErrorContains(t, err, "complex_test.go")
	}
	require.Equal(t, []bool{true, true}, values[bool](t, z.Cast(dtype.Bool)))
}

func TestNumbersAdaptToComplexArrays(t *testing.T) {
	z, x := nd.FromSlice([]complex64{1 + 1i}), nd.FromSlice([]float32{2})
	require.Equal(t, []complex64{3 + 1i}, values[complex64](t, z.AddScalar(2)))
	require.Equal(t, []complex64{2 + 3i}, values[complex64](t, x.Add(nd.Weak(3i))))
	require.Equal(t, []complex128{2i}, values[complex128](t, nd.FromSlice([]int64{1}).Mul(nd.Weak(complex64(2i)).Cast(dtype.Complex128))))
	require.Equal(t, dtype.Complex128, nd.FromSlice([]float64{1}).Mul(nd.Weak(complex64(2i))).DType())
	require.Equal(t, []complex64{0.5}, values[complex64](t, nd.FullIn(nd.DefaultEnv(), dtype.Complex64, 0.5, 1)))
}

func TestComplexArraysAreReduced(t *testing.T) {
	z := nd.FromSlice([]complex128{3 + 4i, 0, 1i, 2}, 2, 2)
	require.Equal(t, []complex128{3 + 5i, 2}, values[complex128](t, z.Sum(0)))
	require.Equal(t, []complex128{1.5 + 2i, 1 + 0.5i}, values[complex128](t, z.Mean(1)))
	require.Equal(t, []complex128{0, 2i}, values[complex128](t, z.Prod(1)))
	require.Equal(t, []complex128{3 + 4i, 3 + 4i, 1i, 2 + 1i}, values[complex128](t, z.CumSum(1)))
	require.Equal(t, []float64{5, math.Sqrt(5)}, values[float64](t, z.Norm(2, 1)))
	require.Equal(t, []float64{5, 3}, values[float64](t, z.Norm(1, 1)))
	require.Equal(t, []int64{1, 2}, values[int64](t, z.CountNonzero(1)))
	require.Equal(t, []bool{false, true}, values[bool](t, z.AllTrue(1)))
	require.Equal(t, []complex128{-7 + 24i, 0, -4 + 5i, 4}, values[complex128](t, z.MatMul(z)))
}
