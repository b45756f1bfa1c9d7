package linalg_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestEigenvectorsOfSymmetricMatricesDiagonaliseThem(t *testing.T) {
	eachKind(t, []int{0, 1, 2, 5, 20}, func(t *testing.T, d dtype.DType, batch []int, size int) {
		a := definite(d, batch, size)
		values, vectors := linalg.EigenSymmetric(a)
		requireNear(t, a, vectors.Mul(values.ExpandDims(-2)).MatMul(vectors.MatrixTranspose()), 1e3*unit(d))
		requireOrthonormal(t, vectors)
		if vectors.Count() > 0 {
			requireDirected(t, vectors.MatrixTranspose())
			requireNear(t, values.Sort(-1), values, 0)
		}
		requireNear(t, values, linalg.EigenvaluesSymmetric(a), 1e3*unit(d))
		ofLower, _ := linalg.EigenSymmetric(a.Tril(0))
		requireNear(t, values, ofLower, 0)
	})
}

// TestEigenvectorsOfGeneralMatricesAreScaledByThem has matrices with pairs of conjugate values.
func TestEigenvectorsOfGeneralMatricesAreScaledByThem(t *testing.T) {
	eachKind(t, []int{0, 1, 2, 5, 20}, func(t *testing.T, d dtype.DType, batch []int, size int) {
		a := matrices(d, slices.Concat(batch, []int{size, size})...)
		values, vectors := linalg.Eigen(a)
		require.Equal(t, dtype.Promote(d, dtype.Complex64), values.DType())
		left, right := a.Cast(values.DType()).MatMul(vectors), vectors.Mul(values.ExpandDims(-2))
		requireNear(t, left.Real().Copy(), right.Real().Copy(), 1e3*unit(d))
		requireNear(t, left.Imag().Copy(), right.Imag().Copy(), 1e3*unit(d))
		lengths := vectors.Abs().Square().Sum(-2)
		requireNear(t, nd.OnesLike(lengths), lengths, 1e3*unit(d))
		requireOrdered(t, values, size)
		only := linalg.Eigenvalues(a)
		requireNear(t, values.Real().Copy(), only.Real().Copy(), 1e3*unit(d))
		requireNear(t, values.Imag().Copy(), only.Imag().Copy(), 1e3*unit(d))
		requireTurned(t, vectors, size)
	})
}

// requireOrdered looks whether values ascend by their real parts, and equal ones by their imaginary parts.
func requireOrdered(t *testing.T, values *nd.Array, size int) {
	t.Helper()
	re, im := valuesOf(t, values.Real()), valuesOf(t, values.Imag())
	for i := range re {
		if i%max(1, size) > 0 {
			require.True(t, re[i-1] < re[i] || re[i-1] == re[i] && im[i-1] <= im[i], "%v %v", re, im)
		}
	}
}

// requireTurned looks whether the largest element of each column is real and positive.
func requireTurned(t *testing.T, vectors *nd.Array, size int) {
	t.Helper()
	if vectors.Count() == 0 {
		return
	}
	columns := vectors.MatrixTranspose().Copy()
	re, im, sizes := valuesOf(t, columns.Real()), valuesOf(t, columns.Imag()), valuesOf(t, columns.Abs())
	for i := 0; i < len(re); i += size {
		own := sizes[i : i+size]
		largest := slices.Max(own)
		require.True(t, slices.ContainsFunc(own, func(v float64) bool {
			place := i + slices.Index(own, v)
			return v > largest*(1-1e-6) && im[place] == 0 && re[place] > 0
		}))
	}
}

func TestARotationHasImaginaryEigenvalues(t *testing.T) {
	values, err := nd.Values[complex128](linalg.Eigenvalues(nd.FromNested([][]int64{{0, -1}, {1, 0}})))
	require.NoError(t, err)
	require.Equal(t, []complex128{-1i, 1i}, values)
}

func TestEigenOfAWatchedMatrixIsAMistake(t *testing.T) {
	a := autograd.NewTape().Watch(nd.Eye[float64](2))
	for name, call := range map[string]func(){"Eigen": func() { linalg.Eigen(a) }, "Eigenvalues": func() { linalg.Eigenvalues(a) }} {
		err := nd.Try(call)
		require.ErrorContains(t, err, "linalg."+name)
		require.ErrorContains(t, err, "complex")
	}
}

func TestEigenvaluesDoNotDependOnTheLayout(t *testing.T) {
	for _, d := range types {
		requireSameForViews(t, matrices(d, 2, 5, 5), func(a *nd.Array) []*nd.Array {
			values, vectors := linalg.EigenSymmetric(a)
			general, columns := linalg.Eigen(a)
			return []*nd.Array{values, vectors, linalg.EigenvaluesSymmetric(a), general, columns, linalg.Eigenvalues(a)}
		})
	}
}

func TestDefectiveMatricesHaveEigenvalues(t *testing.T) {
	values, vectors := linalg.Eigen(nd.FromNested([][]float64{{1, 1}, {0, 1}}))
	require.Equal(t, []float64{1, 1}, valuesOf(t, values.Real()))
	for _, v := range valuesOf(t, vectors.Index(0).Abs()) {
		require.InDelta(t, 1, v, 1e-12)
	}
	require.False(t, math.IsNaN(valuesOf(t, vectors.Imag().Sum())[0]))
}
