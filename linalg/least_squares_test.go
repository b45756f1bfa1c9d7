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

// deficient returns matrices of the given rank.
func deficient(d dtype.DType, batch []int, rows, columns, rank int) *nd.Array {
	left, right := matrices(d, slices.Concat(batch, []int{rows, rank})...), matrices(d, slices.Concat(batch, []int{rank, columns, 1})...)
	return left.MatMul(right.Squeeze(-1))
}

// TestPseudoInversesSatisfyPenrosesEquations has matrices of all ranks.
func TestPseudoInversesSatisfyPenrosesEquations(t *testing.T) {
	eachKind(t, []int{1, 2, 4}, func(t *testing.T, d dtype.DType, batch []int, rank int) {
		for _, sizes := range [][2]int{{4, 4}, {6, 4}, {4, 7}} {
			a := deficient(d, batch, sizes[0], sizes[1], rank)
			p := linalg.PseudoInverse(a, 1e3*unit(d))
			left, right := a.MatMul(p), p.MatMul(a)
			tolerance := 1e5 * unit(d)
			requireNear(t, a, left.MatMul(a), tolerance)
			requireNear(t, p, right.MatMul(p), tolerance)
			requireNear(t, left, left.MatrixTranspose().Copy(), tolerance)
			requireNear(t, right, right.MatrixTranspose().Copy(), tolerance)
		}
	})
}

func TestLeastSquaresAreThoseOfThePseudoInverse(t *testing.T) {
	eachKind(t, []int{1, 2, 4}, func(t *testing.T, d dtype.DType, batch []int, rank int) {
		for _, sizes := range [][2]int{{4, 4}, {6, 4}, {4, 7}} {
			a := deficient(d, batch, sizes[0], sizes[1], rank)
			rcond := 1e3 * unit(d)
			b := matrices(d, slices.Concat(batch, []int{sizes[0], 3})...)
			x, ranks, s := linalg.LeastSquares(a, b, rcond)
			requireNear(t, linalg.PseudoInverse(a, rcond).MatMul(b), x, 1e5*unit(d))
			requireNear(t, nd.FullIn(a.Env(), dtype.Int64, float64(rank), batch...), ranks, 0)
			requireNear(t, ranks, linalg.MatrixRank(a, rcond), 0)
			requireNear(t, linalg.SingularValues(a), s, 1e3*unit(d))
			vector, _, _ := linalg.LeastSquares(a, b.Index(nd.Rest, 0).Reshape(-1, sizes[0]).Sum(0), rcond)
			require.Equal(t, slices.Concat(batch, []int{sizes[1]}), vector.Shape())
		}
	})
}

func TestLeastSquaresOfNothingAreZero(t *testing.T) {
	x, rank, s := linalg.LeastSquares(nd.Zeros[float64](0, 2), nd.Zeros[float64](0, 3), 0)
	requireNear(t, nd.Zeros[float64](2, 3), x, 0)
	requireNear(t, nd.Zeros[int64](), rank, 0)
	require.Equal(t, []int{0}, s.Shape())
	x, rank, _ = linalg.LeastSquares(nd.Zeros[float64](3, 2), nd.Ones[float64](3), 0)
	requireNear(t, nd.Zeros[float64](2), x, 0)
	requireNear(t, nd.Zeros[int64](), rank, 0)
}

func TestPseudoInversesDoNotDependOnTheLayout(t *testing.T) {
	for _, d := range types {
		requireSameForViews(t, matrices(d, 2, 5, 4), func(a *nd.Array) []*nd.Array {
			x, rank, s := linalg.LeastSquares(a, nd.Ones[float32](5), 0)
			return []*nd.Array{linalg.PseudoInverse(a, 0), x, rank, s}
		})
	}
}

func TestRightSidesOfLeastSquaresMayBeNaN(t *testing.T) {
	x, _, _ := linalg.LeastSquares(nd.Eye[float64](2), nd.FromSlice([]float64{math.NaN(), 1}), 0)
	require.True(t, math.IsNaN(valuesOf(t, x)[0]))
}
