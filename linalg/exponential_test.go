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

func exponential(t testing.TB, a *nd.Array) *nd.Array {
	t.Helper()
	e, err := linalg.MatrixExponential(context.Background(), a)
	require.NoError(t, err)
	return e
}

// TestMatrixExponentialsAreTheSumsOfTheirSeries has an oracle that sums the series of a, divided by a power of two, in float64 and
// squares it.
func TestMatrixExponentialsAreTheSumsOfTheirSeries(t *testing.T) {
	eachKind(t, []int{0, 1, 2, 5}, func(t *testing.T, d dtype.DType, batch []int, size int) {
		for _, scale := range []float64{0.01, 1, 3} {
			a := matrices(d, append(append([]int{}, batch...), size, size)...).MulScalar(scale)
			exact := dtype.Float64
			if d.IsComplex() {
				exact = dtype.Complex128
			}
			x := a.Cast(exact).MulScalar(1.0 / 64)
			sum := nd.ZerosLike(x).Add(identity(exact, size))
			term := sum
			for k := range 24 {
				term = term.MatMul(x).DivScalar(float64(k + 1))
				sum = sum.Add(term)
			}
			for range 6 {
				sum = sum.MatMul(sum)
			}
			requireNear(t, sum.Cast(d), exponential(t, a), 2e4*unit(d), scale)
		}
	})
}

func TestEachMatrixOfABatchHasAnExponentialOfItsOwn(t *testing.T) {
	a := nd.FromSlice([]float64{1, 2, 0, 1, 1e-9, 0, 0, -100, 40, 0, 0, -40, math.Inf(1), 0, 0, 1}, 4, 2, 2)
	all := exponential(t, a)
	for i := range 3 {
		require.Equal(t, valuesOf(t, exponential(t, a.Index(i))), valuesOf(t, all.Index(i)))
	}
	e := valuesOf(t, all)
	for i, want := range []float64{math.E, 2 * math.E, 0, math.E, math.Exp(1e-9), 0, 0, 0, math.Exp(40), 0, 0, math.Exp(-40)} {
		require.InEpsilon(t, 1+want, 1+e[i], 1e-12, i)
	}
	for _, v := range e[12:] {
		require.True(t, math.IsNaN(v), "of a matrix that is not finite")
	}
	require.Equal(t, []float64{1, 0, 0, 1}, valuesOf(t, exponential(t, nd.Zeros[int64](2, 2))))
}

func TestGradientsOfMatrixExponentialsAreThoseOfBlockMatrices(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Float64, dtype.Complex128} {
		for _, scale := range []float64{0.1, 4} { // without squaring, and with
			a, upstream := matrices(d, 2, 3, 3).MulScalar(scale), matrices(d, 2, 3, 3).Flip(1)
			tape := autograd.NewTape()
			w := tape.Watch(a)
			got := tape.GradientWith(exponential(t, w), upstream, w)[0]
			// Mathias, "A chain rule for matrix functions and applications", SIAM J. Matrix Anal. Appl. 17(3), 1996.
			block := nd.Concat(-2, nd.Concat(-1, adjoint(a), upstream), nd.Concat(-1, nd.ZerosLike(a), adjoint(a)))
			want := exponential(t, block).Index("..., :3, 3:")
			size := valuesOf(t, want.Abs().Max())[0]
			requireNear(t, want.DivScalar(size), got.DivScalar(size), 1e-12, d, scale)
		}
	}
	requireGradients(t, func(xs ...*nd.Array) *nd.Array {
		_, g := autograd.ValueAndGradient(func(x ...*nd.Array) *nd.Array { return exponential(t, x[0]).Sin().Sum() }, xs[0])
		return g[0]
	}, matrices(dtype.Float64, 2, 2))
}

func TestMatrixExponentialsFailAsWhatTheyWaitFor(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	large := nd.Ones[float64](600, 600)
	_, err := linalg.MatrixExponential(ctx, large.MatMul(large))
	require.ErrorIs(t, err, context.Canceled)
	_, err = linalg.MatrixExponential(context.Background(), linalg.Inverse(nd.Zeros[float64](2, 2)))
	require.ErrorContains(t, err, "is singular")
	err = nd.Try(func() { _, _ = linalg.MatrixExponential(context.Background(), nd.Ones[float64](2, 3)) })
	require.ErrorIs(t, err, fault.ErrShape)
	require.ErrorContains(t, err, "exponential_test.go")
}
