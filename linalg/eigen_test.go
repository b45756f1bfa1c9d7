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
		requireNear(t, a, vectors.Mul(values.ExpandDims(-2)).MatMul(adjoint(vectors)), 1e3*unit(d))
		requireOrthonormal(t, vectors)
		if vectors.Count() > 0 {
			requireDirected(t, vectors.MatrixTranspose())
			requireNear(t, values.Sort(-1), values, 0)
		}
		requireNear(t, values, linalg.EigenvaluesSymmetric(a), 1e3*unit(d))
		ofLower, _ := linalg.EigenSymmetric(a.Tril(0))
		requireNear(t, values, ofLower, 0)
		if d.IsComplex() {
			turned, _ := linalg.EigenSymmetric(a.Add(identity(d, size).Mul(nd.Weak(3i))))
			requireNear(t, values, turned, 0, "with imaginary parts on the diagonal")
		}
	})
}

// TestEigenvaluesOfSmallAndLargeMatricesAreThoseOfTheirMultiples has matrices so small that squares are zero, also as a block before another,
// and so large that they are infinite.
func TestEigenvaluesOfSmallAndLargeMatricesAreThoseOfTheirMultiples(t *testing.T) {
	whole, other := nd.FromSlice([]float64{4, 1, 2, 1, 3, 0.5, 2, 0.5, 5}, 3, 3), nd.FromSlice([]float64{2, 1, 1, 2}, 2, 2)
	hollow := nd.FromSlice([]float64{0, 1e-160, 1e-160, 0}, 2, 2)
	apart := nd.Zeros[float64](4, 4)
	nd.CopyInto(apart.Index(nd.Span(0, 2), nd.Span(0, 2)), hollow)
	nd.CopyInto(apart.Index(nd.Span(2, 4), nd.Span(2, 4)), other)
	requireNear(t, nd.FromSlice([]float64{-1e-160, 1e-160, 1, 3}), linalg.EigenvaluesSymmetric(apart), 1e3*unit(dtype.Float64))
	want, _ := linalg.EigenSymmetric(whole)
	for _, scale := range []float64{1e300, 1e160, 1e100, 1e-100, 1e-125, 1e-160, 1e-300} {
		small := whole.MulScalar(scale)
		values, _ := linalg.EigenSymmetric(small)
		for _, got := range []*nd.Array{values, linalg.EigenvaluesSymmetric(small)} {
			requireNear(t, want, got.DivScalar(scale), 1e3*unit(dtype.Float64))
		}
		if scale > 1 {
			continue
		}
		blocks := nd.Zeros[float64](5, 5)
		nd.CopyInto(blocks.Index(nd.Span(0, 3), nd.Span(0, 3)), small)
		nd.CopyInto(blocks.Index(nd.Span(3, 5), nd.Span(3, 5)), other)
		values, vectors := linalg.EigenSymmetric(blocks)
		for _, got := range []*nd.Array{values, linalg.EigenvaluesSymmetric(blocks)} {
			requireNear(t, want, got.Index(nd.Span(0, 3)).DivScalar(scale), 1e3*unit(dtype.Float64))
			requireNear(t, nd.FromSlice([]float64{1, 3}), got.Index(nd.Span(3, 5)), 1e3*unit(dtype.Float64))
		}
		requireOrthonormal(t, vectors)
		again := vectors.Mul(values.ExpandDims(-2)).MatMul(vectors.MatrixTranspose())
		requireNear(t, blocks, again, 1e3*unit(dtype.Float64))
		requireNear(t, whole, again.Index(nd.Span(0, 3), nd.Span(0, 3)).DivScalar(scale), 1e3*unit(dtype.Float64))
	}
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

// Matrices of two rows and columns with real eigenvalues, and of three and four with pairs of complex ones.
func TestGradientsOfEigenvaluesAndVectorsEqualCentralDifferences(t *testing.T) {
	const step = 1e-5
	weighed := func(x *nd.Array) *nd.Array {
		numbers := make([]float64, x.Count())
		for i := range numbers {
			numbers[i] = math.Sin(float64(3 * (i + 1)))
		}
		weights := nd.FromSlice(numbers, x.Shape()...)
		return x.Real().Mul(weights).Add(x.Imag().Mul(weights.Square())).Sum()
	}
	for name, loss := range map[string]func(a *nd.Array) *nd.Array{
		"values of Eigen": func(a *nd.Array) *nd.Array { values, _ := linalg.Eigen(a); return weighed(values) },
		"vectors":         func(a *nd.Array) *nd.Array { _, vectors := linalg.Eigen(a); return weighed(vectors) },
		"both": func(a *nd.Array) *nd.Array {
			values, vectors := linalg.Eigen(a)
			return weighed(vectors.Mul(values.ExpandDims(-2)))
		},
		"values alone": func(a *nd.Array) *nd.Array { return weighed(linalg.Eigenvalues(a)) },
	} {
		for _, numbers := range [][]float64{
			{2, 1, 0.5, -1},
			{1, 2, 0.3, -2, 1.5, 0.7, 0.2, -0.4, 3},
			{0.3, 2, 0.1, 0.4, -2, 0.1, 0.6, -0.2, 0.5, 0.3, -1, 3, 0.2, -0.1, -2.5, -0.8},
		} {
			size := int(math.Sqrt(float64(len(numbers))))
			at := func() *nd.Array { return nd.FromSlice(numbers, 1, size, size) }
			_, gradients := autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return loss(xs[0]) }, at())
			got := valuesOf(t, gradients[0])
			for i, before := range numbers {
				numbers[i] = before + step
				above := valuesOf(t, loss(at()))[0]
				numbers[i] = before - step
				below := valuesOf(t, loss(at()))[0]
				numbers[i] = before
				require.InDelta(t, (above-below)/(2*step), got[i], 1e-6, "%s of %d rows: element %d", name, size, i)
			}
		}
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

// hardMatrices are known to trouble iterations, or are near the ends of the range.
func hardMatrices() map[string]*nd.Array {
	const n = 12
	hilbert, cyclic, grading, jordan := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		cyclic[i*n+(i+1)%n] = 1
		grading[i*n+i] = math.Pow(10, float64(20*i-100))
		for j := range n {
			hilbert[i*n+j] = 1 / float64(1+i+j)
			if j == i+1 {
				jordan[i*n+j] = 1
			}
		}
	}
	square := func(values []float64) *nd.Array { return nd.FromSlice(values, n, n) }
	return map[string]*nd.Array{
		"zeros": nd.Zeros[float64](n, n), "ones": nd.Ones[float64](n, n), "identity": nd.Eye[float64](n), "Hilbert": square(hilbert), "cyclic": square(cyclic),
		"graded": square(grading), "nilpotent": square(jordan), "huge": nd.Full(1e300, n, n).Add(square(cyclic).MulScalar(7e300)),
		"tiny": square(cyclic).Add(nd.Ones[float64](n, n)).MulScalar(1e-310), "largest": nd.Full(math.MaxFloat64, 2, 2),
	}
}

func TestHardMatricesHaveSingularValuesAndEigenvalues(t *testing.T) {
	for name, a := range hardMatrices() {
		scale := valuesOf(t, a.Abs().Max())[0]
		u, s, vt := linalg.SVD(a)
		if name != "largest" { // whose singular values are beyond the range
			requireNear(t, a.DivScalar(max(scale, 1e-300)), u.Mul(s.DivScalar(max(scale, 1e-300)).ExpandDims(-2)).MatMul(vt), 1e-9, name)
			requireOrthonormal(t, u)
		}
		symmetric := a.Add(a.T()).DivScalar(2)
		values, vectors := linalg.EigenSymmetric(symmetric)
		if name != "largest" {
			requireNear(t, symmetric.DivScalar(max(scale, 1e-300)), vectors.Mul(values.DivScalar(max(scale, 1e-300)).ExpandDims(-2)).MatMul(vectors.T()), 1e-9, name)
			requireOrthonormal(t, vectors)
		}
		z := a.Mul(nd.Weak(complex(0.6, 0.8)))
		left, sizes, right := linalg.SVD(z)
		if name != "largest" {
			requireNear(t, s.DivScalar(max(scale, 1e-300)), linalg.SingularValues(z).DivScalar(max(scale, 1e-300)), 1e-9, name)
			requireNear(t, z.DivScalar(max(scale, 1e-300)), left.Mul(sizes.DivScalar(max(scale, 1e-300)).ExpandDims(-2)).MatMul(right), 1e-9, name)
			requireOrthonormal(t, left)
			requireOrthonormal(t, adjoint(right))
		}
		hermitian := symmetric.Add(a.Sub(a.T()).Mul(nd.Weak(0.5i)))
		values, vectors = linalg.EigenSymmetric(hermitian)
		if name != "largest" {
			requireNear(t, hermitian.DivScalar(max(scale, 1e-300)), vectors.Mul(values.DivScalar(max(scale, 1e-300)).ExpandDims(-2)).MatMul(adjoint(vectors)), 1e-9, name)
			requireOrthonormal(t, vectors)
		}
		general, columns := linalg.Eigen(a)
		require.Len(t, valuesOf(t, general.Real()), a.Shape()[0], name)
		require.Len(t, valuesOf(t, columns.Abs()), a.Count(), name)
		turned, axes := linalg.Eigen(z)
		require.Len(t, complexesOf(t, turned), a.Shape()[0], name)
		requireNear(t, nd.Ones[float64](a.Shape()[0]), axes.Norm(2, 0), 1e-9, name)
	}
}

func TestSignsOfVectorsWithElementsOfEqualMagnitudeAreDetermined(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
		for _, a := range [][][]float64{{{1, 3}, {3, 1}}, {{2, -1}, {-1, 2}}, {{.3, .7}, {.7, .3}}} {
			x := nd.FromNested(a).Cast(d)
			_, symmetric := linalg.EigenSymmetric(x)
			_, general := linalg.Eigen(x)
			_, _, vt := linalg.SVD(x)
			for name, firsts := range map[string]*nd.Array{"symmetric": symmetric.Index(0), "general": general.Real().Index(0), "singular": vt.Index(nd.Whole, 0)} {
				values, err := nd.ValuesAs[float64](firsts)
				require.NoError(t, err)
				for _, v := range values {
					require.Positive(t, v, "%s vectors of %v, %v", name, a, d)
				}
			}
		}
	}
}

func TestWhatIsAboveTheDiagonalOfSymmetricMatricesIsNotRead(t *testing.T) {
	for _, above := range []float64{7, math.NaN(), math.Inf(1)} {
		a, same := nd.FromNested([][]float64{{2, above}, {1, 2}}), nd.FromNested([][]float64{{2, 1}, {1, 2}})
		values, vectors := linalg.EigenSymmetric(a)
		wantValues, wantVectors := linalg.EigenSymmetric(same)
		hermitian, _ := linalg.EigenSymmetric(a.Mul(nd.Weak(complex(1, 0))))
		requireNear(t, wantValues, hermitian, 1e-15)
		for _, pair := range [][2]*nd.Array{{wantValues, values}, {wantVectors, vectors}, {wantValues, linalg.EigenvaluesSymmetric(a)}} {
			want, err := nd.Values[float64](pair[0])
			require.NoError(t, err)
			got, err := nd.Values[float64](pair[1])
			require.NoError(t, err)
			require.InDeltaSlice(t, want, got, 1e-15)
		}
	}
}
