package linalg_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

// TestGradientsOfWhatIsMadeOfFactorsEqualDifferences has functions that do not depend on signs of vectors, and those that are made of several
// operators.
func TestGradientsOfWhatIsMadeOfFactorsEqualDifferences(t *testing.T) {
	const d = dtype.Float64
	square, tall := regular(d, []int{2}, 3), matrices(d, 4, 3)
	one := func(f func(a *nd.Array) *nd.Array) func(xs ...*nd.Array) *nd.Array {
		return func(xs ...*nd.Array) *nd.Array { return f(xs[0]) }
	}
	for _, c := range []struct {
		name string
		f    func(xs ...*nd.Array) *nd.Array
		xs   []*nd.Array
	}{
		{"logarithm of a density", one(func(a *nd.Array) *nd.Array {
			l := linalg.Cholesky(a.MatMul(a.MatrixTranspose()))
			return linalg.SolveTriangular(l, nd.Ones[float64](3)).Square().Sum(-1).Add(l.Diagonal(0, -2, -1).Log().Sum(-1))
		}), []*nd.Array{square}},
		{"projection", one(func(a *nd.Array) *nd.Array {
			q, _ := linalg.QR(a)
			return q.MatMul(q.MatrixTranspose())
		}), []*nd.Array{tall}},
		{"polar factor", one(func(a *nd.Array) *nd.Array {
			u, _, vt := linalg.SVD(a)
			return u.MatMul(vt)
		}), []*nd.Array{tall}},
		{"square root", one(func(a *nd.Array) *nd.Array {
			values, vectors := linalg.EigenSymmetric(a.MatMul(a.MatrixTranspose()))
			return vectors.Mul(values.Sqrt().ExpandDims(-2)).MatMul(vectors.MatrixTranspose())
		}), []*nd.Array{square}},
		{"singular values of wide matrices", one(func(a *nd.Array) *nd.Array { return linalg.SingularValues(a.MatrixTranspose()) }), []*nd.Array{tall}},
		{"solution of both", func(xs ...*nd.Array) *nd.Array { return linalg.Solve(xs[0], xs[1]) }, []*nd.Array{square, matrices(d, 3, 2)}},
		{"least squares", func(xs ...*nd.Array) *nd.Array {
			x, _, s := linalg.LeastSquares(xs[0], xs[1], 0)
			return x.Mul(s)
		}, []*nd.Array{tall, matrices(d, 4)}},
		{"negative power", one(func(a *nd.Array) *nd.Array { return linalg.MatrixPower(a, -3) }), []*nd.Array{square}},
		{"power", one(func(a *nd.Array) *nd.Array { return linalg.MatrixPower(a, 5) }), []*nd.Array{square.DivScalar(4)}},
		{"condition", one(linalg.Condition), []*nd.Array{square}},
		{"Frobenius norm", one(func(a *nd.Array) *nd.Array { return linalg.Norm(a, linalg.Frobenius) }), []*nd.Array{tall}},
		{"nuclear norm", one(func(a *nd.Array) *nd.Array { return linalg.Norm(a, linalg.Nuclear) }), []*nd.Array{tall}},
		{"spectral norm", one(func(a *nd.Array) *nd.Array { return linalg.Norm(a, linalg.Spectral) }), []*nd.Array{square}},
		{"largest column", one(func(a *nd.Array) *nd.Array { return linalg.Norm(a, linalg.MaxColumns) }), []*nd.Array{tall}},
		{"largest row", one(func(a *nd.Array) *nd.Array { return linalg.Norm(a, linalg.MaxRows) }), []*nd.Array{tall}},
		{"Kronecker product", func(xs ...*nd.Array) *nd.Array { return linalg.Kron(xs[0], xs[1]) }, []*nd.Array{matrices(d, 2, 3), matrices(d, 2, 1)}},
		{"vector product", func(xs ...*nd.Array) *nd.Array { return linalg.Cross(xs[0], xs[1], -1) }, []*nd.Array{matrices(d, 3), matrices(d, 2, 3)}},
		{"outer product", func(xs ...*nd.Array) *nd.Array { return linalg.Outer(xs[0], xs[1]) }, []*nd.Array{matrices(d, 3), matrices(d, 2)}},
		{"trace", one(linalg.Trace), []*nd.Array{square}},
	} {
		t.Run(c.name, func(t *testing.T) { requireGradients(t, c.f, c.xs...) })
	}
}

// TestGradientsOfWhatIsMadeOfComplexFactorsEqualDifferences does not depend on phases of vectors.
func TestGradientsOfWhatIsMadeOfComplexFactorsEqualDifferences(t *testing.T) {
	const d = dtype.Complex128
	square, tall := regular(d, []int{2}, 3), matrices(d, 4, 3)
	one := func(f func(a *nd.Array) *nd.Array) func(xs ...*nd.Array) *nd.Array {
		return func(xs ...*nd.Array) *nd.Array { return f(xs[0]) }
	}
	for _, c := range []struct {
		name string
		f    func(xs ...*nd.Array) *nd.Array
		xs   []*nd.Array
	}{
		{"logarithm of a density", one(func(a *nd.Array) *nd.Array {
			l := linalg.Cholesky(a.MatMul(adjoint(a)))
			return linalg.SolveTriangular(l, nd.Ones[complex128](3)).Abs().Sum(-1).Add(l.Diagonal(0, -2, -1).Abs().Log().Sum(-1))
		}), []*nd.Array{square}},
		{"projection", one(func(a *nd.Array) *nd.Array {
			q, _ := linalg.QR(a)
			return q.MatMul(adjoint(q))
		}), []*nd.Array{tall}},
		{"triangle of wide matrices", one(func(a *nd.Array) *nd.Array {
			_, r := linalg.QR(adjoint(a))
			return r
		}), []*nd.Array{tall}},
		{"solution of both", func(xs ...*nd.Array) *nd.Array { return linalg.Solve(xs[0], xs[1]) }, []*nd.Array{square, matrices(d, 3, 2)}},
		{"solution for real numbers", func(xs ...*nd.Array) *nd.Array { return linalg.Solve(xs[0], xs[1]) }, []*nd.Array{square, matrices(dtype.Float64, 3, 2)}},
		{"solution with real numbers", func(xs ...*nd.Array) *nd.Array {
			return linalg.SolveTriangular(xs[0], xs[1], linalg.Upper(), linalg.Transposed())
		}, []*nd.Array{regular(dtype.Float64, nil, 3), matrices(d, 2, 3, 2)}},
		{"sign of a determinant", one(func(a *nd.Array) *nd.Array {
			sign, _ := linalg.SignLogDeterminant(a)
			return sign
		}), []*nd.Array{square}},
		{"sign and logarithm", one(func(a *nd.Array) *nd.Array {
			sign, logarithm := linalg.SignLogDeterminant(a)
			return sign.Mul(logarithm)
		}), []*nd.Array{square}},
		{"negative power", one(func(a *nd.Array) *nd.Array { return linalg.MatrixPower(a, -3) }), []*nd.Array{square}},
		{"polar factor", one(func(a *nd.Array) *nd.Array {
			u, _, vh := linalg.SVD(a)
			return u.MatMul(vh)
		}), []*nd.Array{tall}},
		{"polar factor of wide matrices", one(func(a *nd.Array) *nd.Array {
			u, s, vh := linalg.SVD(adjoint(a))
			return u.Mul(s.Sqrt().ExpandDims(-2)).MatMul(vh)
		}), []*nd.Array{tall}},
		{"square root", one(func(a *nd.Array) *nd.Array {
			values, vectors := linalg.EigenSymmetric(a.MatMul(adjoint(a)))
			return vectors.Mul(values.Sqrt().ExpandDims(-2)).MatMul(adjoint(vectors))
		}), []*nd.Array{square}},
		{"least squares", func(xs ...*nd.Array) *nd.Array {
			x, _, s := linalg.LeastSquares(xs[0], xs[1], 0)
			return x.Mul(s)
		}, []*nd.Array{tall, matrices(d, 4)}},
		{"pseudo-inverse", one(func(a *nd.Array) *nd.Array { return linalg.PseudoInverse(a, 0) }), []*nd.Array{tall}},
		{"condition", one(linalg.Condition), []*nd.Array{square}},
		{"nuclear norm", one(func(a *nd.Array) *nd.Array { return linalg.Norm(a, linalg.Nuclear) }), []*nd.Array{tall}},
		{"spectral norm", one(func(a *nd.Array) *nd.Array { return linalg.Norm(a, linalg.Spectral) }), []*nd.Array{square}},
		{"eigenvalues", one(linalg.Eigenvalues), []*nd.Array{square}},
		{"function by eigenvalues", one(func(a *nd.Array) *nd.Array {
			values, vectors := linalg.Eigen(a)
			return vectors.Mul(values.Exp().ExpandDims(-2)).MatMul(linalg.Inverse(vectors)).DivScalar(1e3)
		}), []*nd.Array{square}},
	} {
		t.Run(c.name, func(t *testing.T) { requireGradients(t, c.f, c.xs...) })
	}
}

// TestVectorsOfRealMatricesAreThoseOfTheComplexOnes also compares the gradients of what does not depend on phases.
func TestVectorsOfRealMatricesAreThoseOfTheComplexOnes(t *testing.T) {
	a := definite(dtype.Float64, nil, 5)
	z := a.Cast(dtype.Complex128)
	_, vectors := linalg.EigenSymmetric(a)
	_, complexVectors := linalg.EigenSymmetric(z)
	requireNear(t, vectors.Cast(dtype.Complex128), complexVectors, 1e-10)
	u, _, vt := linalg.SVD(a)
	left, _, right := linalg.SVD(z)
	requireNear(t, u.Cast(dtype.Complex128), left, 1e-10)
	requireNear(t, vt.Cast(dtype.Complex128), right, 1e-10)
	loss := func(xs ...*nd.Array) *nd.Array {
		u, s, vh := linalg.SVD(xs[0])
		return u.Mul(s.Square().ExpandDims(-2)).MatMul(vh).Abs().Square().Sum()
	}
	_, want := autograd.ValueAndGradient(loss, a)
	_, got := autograd.ValueAndGradient(loss, z)
	requireNear(t, want[0], got[0].Real().Copy(), 1e-10)
}

// TestTheGradientOfAPseudoInverseIsThatOfMatricesOfTheSameRank has equal singular values, and some that are zero.
func TestTheGradientOfAPseudoInverseIsThatOfMatricesOfTheSameRank(t *testing.T) {
	requireGradients(t, func(xs ...*nd.Array) *nd.Array { return linalg.PseudoInverse(xs[0], 0) }, nd.Eye[float64](3))
	requireGradients(t, func(xs ...*nd.Array) *nd.Array {
		return linalg.PseudoInverse(xs[0].MatMul(xs[1]), 1e-8)
	}, matrices(dtype.Float64, 4, 2), matrices(dtype.Float64, 1, 2, 3).Squeeze(0))
}

func TestGradientsOfSymmetricMatricesAreThoseOfTheLowerTriangle(t *testing.T) {
	z := definite(dtype.Complex128, nil, 4)
	_, gradients := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return linalg.Cholesky(xs[0]).Real().Square().Sum() }, z)
	requireNear(t, gradients[0].Tril(0), gradients[0], 0)
	requireGradients(t, func(xs ...*nd.Array) *nd.Array { return linalg.Cholesky(xs[0]) }, z)
	a := definite(dtype.Float64, nil, 4)
	for name, f := range map[string]func(a *nd.Array) *nd.Array{
		"Cholesky":             linalg.Cholesky,
		"EigenvaluesSymmetric": linalg.EigenvaluesSymmetric,
		"EigenSymmetric": func(a *nd.Array) *nd.Array {
			_, vectors := linalg.EigenSymmetric(a)
			return vectors
		},
	} {
		_, gradients := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return f(xs[0]).Square().Mul(a).Sum() }, a)
		requireNear(t, gradients[0].Tril(0), gradients[0], 0, name)
		requireGradients(t, func(xs ...*nd.Array) *nd.Array { return f(xs[0]) }, a)
	}
}

// TestTheSecondDerivativeOfALogarithmOfADeterminant is −(a⁻¹)ᵢⱼ(a⁻¹)ₖₗ, with the indices of rows exchanged with those of columns.
func TestTheSecondDerivativeOfALogarithmOfADeterminant(t *testing.T) {
	a := regular(dtype.Float64, nil, 3)
	hessian := autograd.Hessian(func(x *nd.Array) *nd.Array {
		_, logarithm := linalg.SignLogDeterminant(x.Reshape(3, 3))
		return logarithm
	}, a.Reshape(9).Copy())
	inverse := linalg.Inverse(a)
	want := nd.Einsum("li,jk->ijkl", inverse, inverse).Neg().Reshape(9, 9).Copy()
	requireNear(t, want, hessian, 1e-12)
}

// TestTheGradientOfADeterminantIsConjugateToItsDerivative is what a step against it needs.
func TestTheGradientOfADeterminantIsConjugateToItsDerivative(t *testing.T) {
	a := regular(dtype.Complex128, nil, 3)
	_, gradients := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return linalg.Determinant(xs[0]).Real() }, a)
	requireNear(t, adjoint(linalg.Inverse(a)).Mul(linalg.Determinant(a).Conj()), gradients[0], 1e-12)
}

func TestGradientsOfFloat32AreNearThoseOfFloat64(t *testing.T) {
	a := regular(dtype.Float64, nil, 4)
	loss := func(xs ...*nd.Array) *nd.Array {
		x := linalg.Solve(xs[0], nd.OnesIn(xs[0].Env(), xs[0].DType(), 4))
		q, r := linalg.QR(xs[0])
		return x.Square().Sum().Add(q.MatMul(r).Mul(linalg.Inverse(xs[0])).Sum()).Add(linalg.Determinant(xs[0]).Log())
	}
	_, exact := autograd.ValueAndGradient(loss, a)
	_, single := autograd.ValueAndGradient(loss, a.Cast(dtype.Float32))
	require.Equal(t, dtype.Float32, single[0].DType())
	requireNear(t, exact[0], single[0].Cast(dtype.Float64), 1e-5)
}

func TestGradientsOfEqualSingularValuesAreNotFinite(t *testing.T) {
	_, gradients := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array {
		u, _, _ := linalg.SVD(xs[0])
		return u.Index(0, 0)
	}, nd.Eye[float64](2))
	require.True(t, math.IsNaN(valuesOf(t, gradients[0].Sum())[0]))
}
