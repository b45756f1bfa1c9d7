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

// rectangles are the columns of matrices with a number of rows.
var rectangles = []int{0, 1, 3, 5, 9}

func requireOrthonormal(t *testing.T, columns *nd.Array) {
	t.Helper()
	product := adjoint(columns).MatMul(columns)
	d, shape := columns.DType(), product.Shape()
	requireNear(t, identity(d, shape[len(shape)-1]).BroadcastTo(shape...).Copy(), product, 200*unit(d))
}

func TestTheFactorsOfCholeskyMultiplyToTheMatrix(t *testing.T) {
	eachKind(t, []int{0, 1, 2, 5, 40}, func(t *testing.T, d dtype.DType, batch []int, size int) {
		a := definite(d, batch, size)
		l := linalg.Cholesky(a)
		requireNear(t, a, l.MatMul(adjoint(l)), 1e3*unit(d))
		requireNear(t, l.Tril(0), l, 0)
		requireNear(t, l, linalg.Cholesky(a.Tril(0)), 0, "of the lower triangle")
		if d.IsComplex() {
			turned := a.Add(identity(d, size).Mul(nd.Weak(3i)))
			requireNear(t, l, linalg.Cholesky(turned), 0, "with imaginary parts on the diagonal")
		}
	})
}

func TestQROfMatricesHasOrthonormalColumnsAndATriangle(t *testing.T) {
	eachKind(t, rectangles, func(t *testing.T, d dtype.DType, batch []int, columns int) {
		a := matrices(d, slices.Concat(batch, []int{5, columns})...)
		q, r := linalg.QR(a)
		requireNear(t, a, q.MatMul(r), 200*unit(d))
		requireNear(t, r.Triu(0), r, 0)
		requireOrthonormal(t, q)
		for _, v := range complexesOf(t, r.Diagonal(0, -2, -1)) {
			require.Greater(t, real(v), 0.0)
			require.Zero(t, imag(v))
		}
	})
}

// requireDirected looks whether the largest element of each line along the last axis is real and positive.
func requireDirected(t *testing.T, lines *nd.Array) {
	t.Helper()
	for _, v := range complexesOf(t, lines.TakeAlongAxis(lines.Abs().ArgMax(-1).ExpandDims(-1), -1)) {
		require.Greater(t, real(v), 0.0)
		require.Zero(t, imag(v))
	}
}

func TestSingularValuesAndVectorsMultiplyToTheMatrix(t *testing.T) {
	eachKind(t, rectangles, func(t *testing.T, d dtype.DType, batch []int, columns int) {
		a := matrices(d, slices.Concat(batch, []int{5, columns})...)
		u, s, vt := linalg.SVD(a)
		requireNear(t, a, u.Mul(s.ExpandDims(-2)).MatMul(vt), 200*unit(d))
		requireOrthonormal(t, u)
		requireOrthonormal(t, adjoint(vt))
		if vt.Count() > 0 {
			requireDirected(t, vt)
			requireNear(t, s.SortDescending(-1), s, 0)
		}
		requireNear(t, s, linalg.SingularValues(a), 100*unit(d))
	})
}

func TestFactorsDoNotDependOnTheLayout(t *testing.T) {
	for _, d := range types {
		requireSameForViews(t, definite(d, []int{2}, 6), func(a *nd.Array) []*nd.Array {
			q, r := linalg.QR(a)
			u, s, vt := linalg.SVD(a)
			return []*nd.Array{linalg.Cholesky(a), q, r, u, s, vt, linalg.SingularValues(a)}
		})
	}
}

func TestQROfElementsThatAreNotFiniteIsNaN(t *testing.T) {
	a := nd.FromSlice([]float64{1, math.Inf(1), 2, 3, 1, 0, 0, 1}, 2, 2, 2)
	for _, d := range types {
		q, r := linalg.QR(a.Cast(d))
		for _, factor := range []*nd.Array{q, r} {
			require.Equal(t, []bool{true, true, true, true, false, false, false, false}, boolsOf(t, factor.IsNaN()))
		}
	}
}

func boolsOf(t *testing.T, a *nd.Array) []bool {
	t.Helper()
	values, err := nd.Values[bool](a)
	require.NoError(t, err)
	return values
}
