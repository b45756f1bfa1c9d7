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
			requireNear(t, left, adjoint(left).Copy(), tolerance)
			requireNear(t, right, adjoint(right).Copy(), tolerance)
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

// TestLeastSquaresOfBroadcastMatricesHaveTheBitsOfEachAlone has matrices that go with several right sides, and right sides that go with several
// matrices.
func TestLeastSquaresOfBroadcastMatricesHaveTheBitsOfEachAlone(t *testing.T) {
	for _, d := range types {
		for _, c := range []struct{ ofA, ofB, joint []int }{
			{nil, []int{3}, []int{3}}, {[]int{2}, nil, []int{2}}, {[]int{2, 1}, []int{3}, []int{2, 3}}, {[]int{1, 3}, []int{2, 1}, []int{2, 3}},
			{[]int{2}, []int{3, 2}, []int{3, 2}}, {[]int{2, 1, 2}, []int{3, 1}, []int{2, 3, 2}}, {nil, []int{0}, []int{0}}, {[]int{1}, []int{2, 0}, []int{2, 0}},
		} {
			for _, sizes := range [][2]int{{4, 4}, {6, 4}, {4, 7}, {0, 3}, {3, 0}} {
				m, n := sizes[0], sizes[1]
				a, b := deficient(d, c.ofA, m, n, 2), matrices(d, slices.Concat(c.ofB, []int{m, 3})...)
				rcond := 1e3 * unit(d)
				x, rank, s := linalg.LeastSquares(a, b, rcond)
				wholeA, wholeB := a.BroadcastTo(slices.Concat(c.joint, []int{m, n})...).Copy(), b.BroadcastTo(slices.Concat(c.joint, []int{m, 3})...).Copy()
				wantX, wantRank, wantS := linalg.LeastSquares(wholeA, wholeB, rcond)
				require.Equal(t, slices.Concat(c.joint, []int{n, 3}), x.Shape())
				for _, pair := range [][2]*nd.Array{{wantX, x}, {wantRank, rank}, {wantS, s}} {
					require.Equal(t, pair[0].Shape(), pair[1].Shape())
					require.Equal(t, complexesOf(t, pair[0]), complexesOf(t, pair[1]), "%v %v %v", d, c, sizes)
				}
			}
		}
	}
}

// TestLeastSquaresNameTheMatrixOfTheBatchThatMatricesHave looks at each once, however many right sides there are.
func TestLeastSquaresNameTheMatrixOfTheBatchThatMatricesHave(t *testing.T) {
	b, bad := nd.Ones[float64](5, 3, 2, 1), nd.Full(math.NaN(), 2, 2)
	x, _, _ := linalg.LeastSquares(bad, b, 0)
	require.ErrorContains(t, x.Wait(t.Context()), "the matrix has elements that are NaN or infinite")
	x, _, _ = linalg.LeastSquares(nd.Stack(0, nd.Eye[float64](2), bad, bad), b, 0)
	require.ErrorContains(t, x.Wait(t.Context()), "matrix (1) of the batch has elements that are NaN or infinite")
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
