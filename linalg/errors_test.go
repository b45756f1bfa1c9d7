package linalg_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

// functions are those of one operand, with all their results.
var functions = map[string]func(a *nd.Array) []*nd.Array{
	"Cholesky":           func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.Cholesky(a)} },
	"Inverse":            func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.Inverse(a)} },
	"Determinant":        func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.Determinant(a)} },
	"SignLogDeterminant": func(a *nd.Array) []*nd.Array { return pair(linalg.SignLogDeterminant(a)) },
	"QR":                 func(a *nd.Array) []*nd.Array { return pair(linalg.QR(a)) },
	"SVD": func(a *nd.Array) []*nd.Array {
		u, s, vt := linalg.SVD(a)
		return []*nd.Array{u, s, vt}
	},
	"SingularValues":       func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.SingularValues(a)} },
	"EigenSymmetric":       func(a *nd.Array) []*nd.Array { return pair(linalg.EigenSymmetric(a)) },
	"EigenvaluesSymmetric": func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.EigenvaluesSymmetric(a)} },
	"Eigen":                func(a *nd.Array) []*nd.Array { return pair(linalg.Eigen(a)) },
	"Eigenvalues":          func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.Eigenvalues(a)} },
	"PseudoInverse":        func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.PseudoInverse(a, 0)} },
	"LeastSquares": func(a *nd.Array) []*nd.Array {
		x, rank, s := linalg.LeastSquares(a, right(a), 0)
		return []*nd.Array{x, rank, s}
	},
	"Solve":           func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.Solve(a, right(a))} },
	"SolveTriangular": func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.SolveTriangular(a, right(a))} },
	"Norm":            func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.Norm(a, linalg.Spectral)} },
	"Condition":       func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.Condition(a)} },
	"MatrixRank":      func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.MatrixRank(a, 0)} },
	"MatrixPower":     func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.MatrixPower(a, -1)} },
	"MatrixExponential": func(a *nd.Array) []*nd.Array {
		e, err := linalg.MatrixExponential(context.Background(), a)
		if err != nil {
			panic(err)
		}
		return []*nd.Array{e}
	},
	"Trace": func(a *nd.Array) []*nd.Array { return []*nd.Array{linalg.Trace(a)} },
}

// right returns a right side of the dtype of a, if that has one.
func right(a *nd.Array) *nd.Array {
	if nd.Try(func() { a.DType() }) != nil {
		return nd.Ones[float64](1, 1)
	}
	return nd.Ones[float64](1, 1).Cast(a.DType())
}

func pair(a, b *nd.Array) []*nd.Array { return []*nd.Array{a, b} }

func TestMistakesNameTheFunction(t *testing.T) {
	for name, f := range functions {
		for what, a := range map[string]*nd.Array{"nil": nil, "not made": {}, "0-d": nd.Full(1.0), "1-d": nd.Ones[float64](3)} {
			err := nd.Try(func() { f(a) })
			require.ErrorContains(t, err, "linalg."+name, what)
		}
		if name == "Trace" {
			continue
		}
		for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			err := nd.Try(func() { f(nd.Ones[float64](2, 2).Cast(d)) })
			require.ErrorIs(t, err, fault.ErrDType, "%s of %v", name, d)
			require.ErrorContains(t, err, "linalg."+name)
		}
	}
	for _, name := range []string{
		"Cholesky", "Inverse", "Determinant", "SignLogDeterminant", "EigenSymmetric", "EigenvaluesSymmetric", "Eigen", "Eigenvalues", "Solve",
		"SolveTriangular", "MatrixPower", "MatrixExponential",
	} {
		err := nd.Try(func() { functions[name](nd.Ones[float64](2, 2, 3)) })
		require.ErrorIs(t, err, fault.ErrShape, name)
		require.ErrorContains(t, err, "(2,2,3)", name)
	}
}

func TestMistakesInArguments(t *testing.T) {
	a, v := nd.Eye[float64](2), nd.Ones[float64](3)
	for name, c := range map[string]struct {
		call  func()
		cause error
	}{
		"columns that do not fit":  {func() { linalg.Solve(a, nd.Ones[float64](3, 2)) }, fault.ErrShape},
		"a vector of another size": {func() { linalg.Solve(a, v) }, fault.ErrShape},
		"batches":                  {func() { linalg.Solve(nd.Ones[float64](2, 2, 2), nd.Ones[float64](3, 2, 1)) }, fault.ErrShape},
		"a nil right side":         {func() { linalg.Solve(a, nil) }, fault.ErrMisuse},
		"a nil option":             {func() { linalg.SolveTriangular(a, a, nil) }, fault.ErrMisuse},
		"rows that do not fit":     {func() { linalg.LeastSquares(a, v, 0) }, fault.ErrShape},
		"a negative rcond":         {func() { linalg.LeastSquares(a, a, -1) }, fault.ErrParameter},
		"an rcond of NaN":          {func() { linalg.PseudoInverse(a, math.NaN()) }, fault.ErrParameter},
		"a negative tolerance":     {func() { linalg.MatrixRank(a, -1) }, fault.ErrParameter},
		"a tolerance of NaN":       {func() { linalg.MatrixRank(a, math.NaN()) }, fault.ErrParameter},
		"no kind":                  {func() { linalg.Norm(a, -1) }, fault.ErrParameter},
		"no norm":                  {func() { linalg.Norm(nd.Ones[float64](0, 2), linalg.MaxRows) }, fault.ErrShape},
		"no condition":             {func() { linalg.Condition(nd.Ones[float64](2, 0)) }, fault.ErrShape},
		"vectors of two":           {func() { linalg.Cross(a, a, -1) }, fault.ErrShape},
		"an axis too far":          {func() { linalg.Cross(v, v, 1) }, fault.ErrAxis},
		"no vectors":               {func() { linalg.Outer(a, v) }, fault.ErrShape},
		"a nil product":            {func() { linalg.Kron(nil, v) }, fault.ErrMisuse},
		"a nil outer product":      {func() { linalg.Outer(v, nil) }, fault.ErrMisuse},
		"a nil vector product":     {func() { linalg.Cross(nil, v, 0) }, fault.ErrMisuse},
	} {
		err := nd.Try(c.call)
		require.ErrorIs(t, err, c.cause, name)
		require.ErrorContains(t, err, "errors_test.go", name)
	}
}

// TestErrorsOfMatricesNameThem has batches whose last matrix is not legal.
func TestErrorsOfMatricesNameThem(t *testing.T) {
	singular := nd.FromSlice([]float64{1, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0, 2, 0, 0, 0, 1}, 2, 2, 2, 2)
	indefinite := nd.FromSlice([]float64{1, 0, 0, 1, 1, 0, 0, -1}, 2, 2, 2)
	notFinite := nd.FromSlice([]float64{1, 0, 0, 1, math.Inf(1), 0, 0, 1}, 2, 2, 2)
	b := nd.Ones[float64](2, 1)
	z := []dtype.DType{dtype.Complex64, dtype.Complex128}
	for i, a := range []*nd.Array{
		linalg.Solve(singular.Cast(z[0]), b), linalg.Inverse(singular.Cast(z[1])), linalg.SolveTriangular(singular.Cast(z[0]), b), linalg.Cholesky(indefinite.Cast(z[1])),
	} {
		requireError(t, a, []string{"is singular: pivot 0", "is singular", "element 0 of its diagonal", "its pivot 1 is not above zero"}[i], "of the batch", "errors_test.go")
		require.ErrorIs(t, a.Wait(context.Background()), fault.ErrParameter)
	}
	cases := map[string]*nd.Array{
		"is singular: pivot 0":          linalg.Solve(singular, b),
		"is singular":                   linalg.Inverse(singular),
		"element 0 of its diagonal":     linalg.SolveTriangular(singular, b),
		"its pivot 1 is not above zero": linalg.Cholesky(indefinite),
	}
	for text, a := range cases {
		place := "matrix (1,1) of the batch"
		if a.Rank() == 3 {
			place = "matrix (1) of the batch"
		}
		for range 2 {
			requireError(t, a, text, place, "errors_test.go")
			require.ErrorIs(t, a.Wait(context.Background()), fault.ErrParameter)
		}
		requireError(t, a.AddScalar(1), text)
	}
	for _, name := range []string{
		"SVD", "SingularValues", "EigenSymmetric", "EigenvaluesSymmetric", "Eigen", "Eigenvalues", "PseudoInverse", "Norm", "Condition", "MatrixRank",
	} {
		for _, result := range functions[name](notFinite) {
			requireError(t, result, "matrix (1) of the batch", "NaN or infinite")
		}
		for _, result := range functions[name](notFinite.Mul(nd.Weak(1i))) {
			requireError(t, result, "matrix (1) of the batch", "NaN or infinite")
		}
	}
	x, _, _ := linalg.LeastSquares(notFinite, b, 0)
	requireError(t, x, "matrix (1) of the batch", "NaN or infinite")
	requireError(t, linalg.Inverse(nd.Zeros[float32](2, 2)), "the matrix is singular")
	requireError(t, linalg.MatrixPower(singular.Index(1, 1), -2), "linalg.MatrixPower", "is singular")
}

// TestNothingHangsOnElementsThatAreNotFinite calls everything with NaN and infinities in all places.
func TestNothingHangsOnElementsThatAreNotFinite(t *testing.T) {
	for _, d := range types[:2] {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for place := range 10 {
				values := valuesOf(t, regular(dtype.Float64, nil, 3))
				if place < 9 {
					values[place] = v
				} else {
					for i := range values {
						values[i] = v
					}
				}
				a := nd.FromSlice(values, 3, 3).Cast(d)
				for name, f := range functions {
					if name == "Solve" || name == "SolveTriangular" || name == "LeastSquares" {
						continue // whose right side there has one row
					}
					for _, result := range f(a) {
						if err := result.Wait(context.Background()); err != nil {
							require.ErrorIs(t, err, fault.ErrParameter, "%s of %v at %d", name, v, place)
						}
					}
				}
				for _, x := range []*nd.Array{linalg.Solve(a, nd.Ones[float64](3)), linalg.SolveTriangular(a, nd.Ones[float64](3, 9))} {
					require.NoError(t, x.Wait(context.Background()))
				}
			}
		}
	}
}

// TestNothingHangsOnComplexElementsThatAreNotFinite calls everything with NaN and infinities in all places and parts.
func TestNothingHangsOnComplexElementsThatAreNotFinite(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, d := range types[2:] {
		for _, v := range []complex128{complex(nan, 0), complex(0, nan), complex(inf, nan), complex(-inf, 1), complex(0, inf), complex(inf, inf)} {
			for place := range 9 {
				values := complexesOf(t, regular(dtype.Complex128, nil, 3))
				values[place] = v
				a := nd.FromSlice(values, 3, 3).Cast(d)
				for name, f := range functions {
					results := []*nd.Array{linalg.Solve(a, nd.Ones[float64](3)), linalg.SolveTriangular(a, nd.Ones[float64](3, 9))}
					if name != "Solve" && name != "SolveTriangular" && name != "LeastSquares" {
						results = f(a)
					}
					for _, result := range results {
						if err := result.Wait(context.Background()); err != nil {
							require.ErrorIs(t, err, fault.ErrParameter, "%s of %v at %d", name, v, place)
						}
					}
				}
			}
		}
	}
}

func TestNaNGoesOnThroughEquations(t *testing.T) {
	a := nd.FromSlice([]float64{1, math.NaN(), 0, 1, 1, 0, 0, 1}, 2, 2, 2)
	x := linalg.Solve(a, nd.Ones[float64](2))
	require.Equal(t, []bool{true, true, false, false}, boolsOf(t, x.IsNaN()))
	require.True(t, boolsOf(t, linalg.Inverse(a).IsNaN())[0])
}

func TestGradientsAtSingularMatricesAreErrors(t *testing.T) {
	_, gradients := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return linalg.Determinant(xs[0]) }, nd.Zeros[float64](2, 2))
	requireError(t, gradients[0], "is singular")
}
