package linalg_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

// TestNormsAreThoseOfTheirDefinition has a matrix with the singular values 3 and 1: it is 2·I + the exchange of two elements, and a row of
// zeros.
func TestNormsAreThoseOfTheirDefinition(t *testing.T) {
	one := nd.FromSlice([]float64{2, -1, -1, 2, 0, 0}, 3, 2)
	for kind, want := range map[linalg.NormKind]float64{
		linalg.Frobenius: math.Sqrt(10), linalg.Nuclear: 4, linalg.Spectral: 3, linalg.MaxColumns: 3, linalg.MaxRows: 3,
	} {
		for _, d := range types {
			got := linalg.Norm(nd.Stack(0, one, one.MulScalar(2)).Cast(d), kind)
			requireNear(t, nd.FromSlice([]float64{want, 2 * want}).Cast(d.RealPart()), got, 4*unit(d), kind)
		}
	}
	requireNear(t, nd.Full(7.0), linalg.Norm(nd.FromNested([][]int64{{1, -5}, {2, -2}}), linalg.MaxColumns), 0)
	requireNear(t, nd.Full(6.0), linalg.Norm(nd.FromNested([][]int64{{1, -5}, {2, -2}}), linalg.MaxRows), 0)
	require.Equal(t, []float64{0, 0}, valuesOf(t, linalg.Norm(nd.Zeros[float64](2, 0, 3), linalg.Frobenius)))
	require.Equal(t, []float64{0, 0}, valuesOf(t, linalg.Norm(nd.Zeros[float64](2, 0, 3), linalg.Nuclear)))
}

func TestConditionsAreRatiosOfSingularValues(t *testing.T) {
	a := nd.FromSlice([]float64{2, -1, -1, 2, 1, 1, 1, 1, 0, 0, 0, 0}, 3, 2, 2)
	got := valuesOf(t, linalg.Condition(a))
	require.InDelta(t, 3, got[0], 1e-14)
	require.Greater(t, got[1], 1e15)
	require.Equal(t, math.Inf(1), got[2])
	requireNear(t, linalg.Condition(a.Index(0)), linalg.Condition(a.Index(0).Mul(nd.Weak(1-2i))), 1e-14)
}

func TestRanksCountSingularValues(t *testing.T) {
	eachKind(t, []int{1, 2, 4}, func(t *testing.T, d dtype.DType, batch []int, rank int) {
		a := deficient(d, batch, 6, 4, rank)
		requireNear(t, nd.FullIn(a.Env(), dtype.Int64, float64(rank), batch...), linalg.MatrixRank(a, 1e2*unit(d)), 0)
	})
	diagonal := nd.FromNested([][]float64{{1, 0}, {0, 1e-10}})
	require.Equal(t, []float64{2}, valuesOf(t, linalg.MatrixRank(diagonal, 0)))
	require.Equal(t, []float64{1}, valuesOf(t, linalg.MatrixRank(diagonal, 1e-9)))
	require.Equal(t, []float64{1}, valuesOf(t, linalg.MatrixRank(diagonal.Cast(dtype.Float32), 0)))
	require.Equal(t, []float64{0, 0}, valuesOf(t, linalg.MatrixRank(nd.Zeros[float64](2, 3, 0), 0)))
	require.Equal(t, []float64{0}, valuesOf(t, linalg.MatrixRank(nd.Zeros[float64](3, 3), 0)))
}

func TestTracesSumDiagonals(t *testing.T) {
	a := nd.Arange[int64](0, 12, 1).Reshape(2, 2, 3)
	require.Equal(t, []float64{0 + 4, 6 + 10}, valuesOf(t, linalg.Trace(a)))
	require.Equal(t, dtype.Int64, linalg.Trace(a).DType())
	require.Equal(t, []float64{0}, valuesOf(t, linalg.Trace(nd.Zeros[float64](0, 3))))
}
