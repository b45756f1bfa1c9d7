package factor

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

// definite returns a Hermitian matrix with eigenvalues near its size; above the diagonal, and in imaginary parts on it,
// it has what must not be read.
func definite[E Element](size int) (a []E, stride int) {
	a, stride = random[E](size, size)
	for i := range size {
		a[i*stride+i] = element[E](complex(float64(2*size+1), math.NaN()))
		for j := i + 1; j < size; j++ {
			a[i*stride+j] = element[E](notANumber)
		}
	}
	return a, stride
}

func lowerPart(i, j int) bool { return j <= i }

func hermitian(d dense) dense {
	for i := range d {
		d[i][i] = complex(real(d[i][i]), 0)
		for j := range i {
			d[j][i] = cmplx.Conj(d[i][j])
		}
	}
	return d
}

func TestTheProductOfCholeskysFactorAndItsAdjointIsTheMatrix(t *testing.T) {
	eachType(t, testCholesky[float32], testCholesky[float64], testCholesky[complex64], testCholesky[complex128])
}

func testCholesky[E Element](t *testing.T) {
	for _, size := range sizes {
		a, stride := definite[E](size)
		want := hermitian(denseOf(a, size, size, stride))
		require.Equal(t, -1, Cholesky(parallel.Serial(), size, a, stride))
		l := denseOf(a, size, size, stride).keep(lowerPart)
		requireClose(t, want, l.times(l.adjoint(), size), 8*float64(size)*unit[E]()*(1+want.largest()))
		requireFillers(t, a, size, stride)
		for i := range l {
			require.Zero(t, imag(l[i][i]))
		}
	}
}

func TestCholeskyTellsTheFirstPivotThatIsNotPositive(t *testing.T) {
	eachType(t, testCholeskyFails[float32], testCholeskyFails[float64], testCholeskyFails[complex64], testCholeskyFails[complex128])
}

func testCholeskyFails[E Element](t *testing.T) {
	for _, c := range []struct {
		name        string
		size, pivot int
		value       float64
	}{
		{"zero", 1, 0, 0},
		{"negative at the front", 40, 0, -1},
		{"negative behind products", 100, 83, -1},
		{"NaN", 100, 20, math.NaN()},
		{"minus infinity", 40, 39, math.Inf(-1)},
	} {
		a, stride := definite[E](c.size)
		a[c.pivot*stride+c.pivot] = element[E](complex(c.value, 0))
		require.Equal(t, c.pivot, Cholesky(parallel.Serial(), c.size, a, stride), c.name)
	}
}

func TestCholeskyHasTheSameBitsForEveryNumberOfThreads(t *testing.T) {
	eachType(t, testCholeskyBits[float32], testCholeskyBits[float64], testCholeskyBits[complex64], testCholeskyBits[complex128])
}

func testCholeskyBits[E Element](t *testing.T) {
	requireSameBits(t, func(thread *parallel.Thread) []E {
		a, stride := definite[E](300)
		require.Equal(t, -1, Cholesky(thread, 300, a, stride))
		for i := range 300 {
			clear(a[i*stride+i+1 : (i+1)*stride])
		}
		return a
	})
}
