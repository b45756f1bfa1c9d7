package factor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// definite returns a symmetric matrix with eigenvalues near its size; above the diagonal it has what must not be read.
func definite[T gemm.Float](size int) (a []T, stride int) {
	a, stride = random[T](size, size)
	for i := range size {
		a[i*stride+i] = T(size + 1)
		for j := i + 1; j < size; j++ {
			a[i*stride+j] = T(math.NaN())
		}
	}
	return a, stride
}

func lowerPart(i, j int) bool { return j <= i }

func symmetric(d dense) dense {
	for i := range d {
		for j := range i {
			d[j][i] = d[i][j]
		}
	}
	return d
}

func TestTheProductOfCholeskysFactorAndItsTransposeIsTheMatrix(t *testing.T) {
	eachType(t, testCholesky[float32], testCholesky[float64])
}

func testCholesky[T gemm.Float](t *testing.T) {
	for _, size := range sizes {
		a, stride := definite[T](size)
		want := symmetric(denseOf(a, size, size, stride))
		require.Equal(t, -1, Cholesky(parallel.Serial(), size, a, stride))
		l := denseOf(a, size, size, stride).keep(lowerPart)
		requireClose(t, want, l.times(l.transposed(), size), 8*float64(size)*unit[T]()*(1+want.largest()))
		requireFillers(t, a, size, stride)
	}
}

func TestCholeskyTellsTheFirstPivotThatIsNotPositive(t *testing.T) {
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
		a, stride := definite[float64](c.size)
		a[c.pivot*stride+c.pivot] = c.value
		require.Equal(t, c.pivot, Cholesky(parallel.Serial(), c.size, a, stride), c.name)
	}
}

func TestCholeskyHasTheSameBitsForEveryNumberOfThreads(t *testing.T) {
	requireSameBits(t, func(thread *parallel.Thread) []float64 {
		a, stride := definite[float64](300)
		require.Equal(t, -1, Cholesky(thread, 300, a, stride))
		for i := range 300 {
			clear(a[i*stride+i+1 : (i+1)*stride])
		}
		return a
	})
}
