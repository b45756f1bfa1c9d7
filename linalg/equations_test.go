package linalg_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestSolutionsSatisfyTheEquations(t *testing.T) {
	eachKind(t, []int{0, 1, 2, 5, 40}, func(t *testing.T, d dtype.DType, batch []int, size int) {
		a := regular(d, batch, size)
		for _, columns := range []int{0, 1, 3} {
			b := matrices(d, slices.Concat(batch, []int{size, columns})...)
			requireNear(t, b, a.MatMul(linalg.Solve(a, b)), 1e3*unit(d))
		}
		b := matrices(d, size)
		x := linalg.Solve(a, b)
		require.Equal(t, slices.Concat(batch, []int{size}), x.Shape())
		requireNear(t, b.BroadcastTo(x.Shape()...).Copy(), a.MatMul(x.ExpandDims(-1)).Squeeze(-1), 1e3*unit(d))
	})
}

func TestBatchesOfEquationsBroadcast(t *testing.T) {
	a, b := regular(dtype.Float64, []int{3, 1}, 4), matrices(dtype.Float64, 2, 4, 3)
	for name, solve := range map[string]func(a, b *nd.Array) *nd.Array{
		"Solve":           linalg.Solve,
		"SolveTriangular": func(a, b *nd.Array) *nd.Array { return linalg.SolveTriangular(a, b) },
		"LeastSquares": func(a, b *nd.Array) *nd.Array {
			x, _, _ := linalg.LeastSquares(a, b, 0)
			return x
		},
	} {
		all := solve(a, b)
		require.Equal(t, []int{3, 2, 4, 3}, all.Shape(), name)
		for i := range 3 {
			for j := range 2 {
				requireNear(t, solve(a.Index(i, 0), b.Index(j)), all.Index(i, j).Copy(), 0, name)
			}
		}
	}
}

func TestTriangularSolutionsAreThoseOfTheTriangle(t *testing.T) {
	eachKind(t, []int{1, 3, 20}, func(t *testing.T, d dtype.DType, batch []int, size int) {
		a, b := regular(d, batch, size), matrices(d, slices.Concat(batch, []int{size, 2})...)
		unitLower := a.Tril(-1).DivScalar(float64(size)).Add(identity(d, size))
		for _, c := range []struct {
			name    string
			a, like *nd.Array
			options []linalg.TriangularOption
		}{
			{"lower", a, a.Tril(0), nil},
			{"upper", a, a.Triu(0), []linalg.TriangularOption{linalg.Upper()}},
			{"lower transposed", a, a.Tril(0).MatrixTranspose(), []linalg.TriangularOption{linalg.Transposed()}},
			{"upper transposed", a, a.Triu(0).MatrixTranspose(), []linalg.TriangularOption{linalg.Upper(), linalg.Transposed()}},
			{"unit", a.DivScalar(float64(size)), unitLower, []linalg.TriangularOption{linalg.UnitDiagonal()}},
		} {
			requireNear(t, b, c.like.MatMul(linalg.SolveTriangular(c.a, b, c.options...)), 1e3*unit(d), c.name)
		}
	})
}

func TestTheInverseTimesTheMatrixIsTheIdentity(t *testing.T) {
	eachKind(t, []int{0, 1, 2, 5, 70}, func(t *testing.T, d dtype.DType, batch []int, size int) {
		a := regular(d, batch, size)
		product := linalg.Inverse(a).MatMul(a)
		requireNear(t, identity(d, size).BroadcastTo(product.Shape()...).Copy(), product, 1e3*unit(d))
	})
}

func TestEquationsDoNotDependOnTheLayout(t *testing.T) {
	for _, d := range types {
		b := matrices(d, 2, 6, 4)
		requireSameForViews(t, regular(d, []int{2}, 6), func(a *nd.Array) []*nd.Array {
			return []*nd.Array{linalg.Solve(a, b), linalg.SolveTriangular(a, b), linalg.Inverse(a)}
		})
		a := regular(d, nil, 6)
		requireSameForViews(t, b, func(b *nd.Array) []*nd.Array {
			return []*nd.Array{linalg.Solve(a, b), linalg.SolveTriangular(a, b, linalg.Upper())}
		})
	}
}

func TestSolutionsOfComplexAndRealNumbersAreComplex(t *testing.T) {
	a, b := regular(dtype.Complex64, nil, 5), matrices(dtype.Float32, 5, 2)
	for _, x := range []*nd.Array{linalg.Solve(a, b), linalg.SolveTriangular(a, b), linalg.Solve(b.MatMul(b.T()).Add(identity(dtype.Float32, 5)), a)} {
		require.Equal(t, dtype.Complex64, x.DType())
	}
	requireNear(t, b.Cast(dtype.Complex64), a.MatMul(linalg.Solve(a, b)), 1e3*unit(dtype.Float32))
	requireNear(t, linalg.Solve(a.Cast(dtype.Complex128), b.Cast(dtype.Float64)), linalg.Solve(a.Cast(dtype.Complex128), b), 0)
}

// TestConjugateEquationsHaveConjugateSolutions has operands that are views of others, and conjugate to them.
func TestConjugateEquationsHaveConjugateSolutions(t *testing.T) {
	for _, d := range types[2:] {
		a, b := regular(d, []int{2}, 20), matrices(d, 20, 3)
		requireNear(t, linalg.Solve(a, b).Conj(), linalg.Solve(a.Conj(), b.Conj()), 0)
		requireNear(t, linalg.Inverse(adjoint(a)), adjoint(linalg.Inverse(a)), 1e3*unit(d))
		requireNear(t, linalg.Determinant(a).Conj(), linalg.Determinant(adjoint(a)), 1e5*unit(d))
		lower := linalg.SolveTriangular(adjoint(a), b)
		requireNear(t, linalg.SolveTriangular(a.Conj(), b, linalg.Upper(), linalg.Transposed()), lower, 1e2*unit(d))
	}
}

func TestSolutionsOfIntegersAreOfFloat64(t *testing.T) {
	x := linalg.Solve(nd.FromNested([][]int64{{3, 1}, {1, 2}}), nd.FromSlice([]int32{9, 8}))
	requireNear(t, nd.FromSlice([]float64{2, 3}), x, 1e-15)
}
