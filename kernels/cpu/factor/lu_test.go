package factor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

func TestTheProductOfTheFactorsIsTheMatrixWithRowsExchanged(t *testing.T) {
	eachType(t, testLU[float32], testLU[float64])
}

func testLU[T gemm.Float](t *testing.T) {
	for _, size := range sizes {
		a, stride := random[T](size, size)
		exchanged, pivots := append([]T{}, a...), make([]int, size)
		require.Equal(t, -1, LU(parallel.Serial(), size, a, stride, pivots))
		Exchange(pivots, size, exchanged, stride)
		factors := denseOf(a, size, size, stride)
		l, u := factors.keep(func(i, j int) bool { return j < i }), factors.keep(func(i, j int) bool { return j >= i })
		for i := range size {
			l[i][i] = 1
		}
		require.LessOrEqual(t, l.largest(), 1.0)
		requireClose(t, denseOf(exchanged, size, size, stride), l.times(u, size), 8*float64(size)*unit[T]()*(1+u.largest()))
		requireFillers(t, a, size, stride)
		requireFillers(t, exchanged, size, stride)
	}
}

// TestPivotsAreTheLargestElements compares with elimination row by row.
func TestPivotsAreTheLargestElements(t *testing.T) {
	const size = 60
	a, stride := random[float64](size, size)
	plain, want := denseOf(a, size, size, stride), []int{}
	for k := range size {
		p := k
		for i := k; i < size; i++ {
			if math.Abs(plain[i][k]) > math.Abs(plain[p][k]) {
				p = i
			}
		}
		want = append(want, p)
		plain[k], plain[p] = plain[p], plain[k]
		for i := k + 1; i < size; i++ {
			factor := plain[i][k] / plain[k][k]
			for j := k; j < size; j++ {
				plain[i][j] -= factor * plain[k][j]
			}
		}
	}
	pivots := make([]int, size)
	LU(parallel.Serial(), size, a, stride, pivots)
	require.Equal(t, want, pivots)
}

func TestLUTellsTheFirstPivotThatIsZero(t *testing.T) {
	for _, size := range []int{1, 7, 40, 100} {
		for _, column := range []int{0, size / 2, size - 1} {
			a, stride := random[float32](size, size)
			for i := range size {
				a[i*stride+column] = 0
			}
			pivots := make([]int, size)
			require.Equal(t, column, LU(parallel.Serial(), size, a, stride, pivots), "column %d of %d", column, size)
			for i, p := range pivots {
				require.True(t, p >= i && p < size)
			}
		}
	}
}

func TestLUOfTinyPivotsDivides(t *testing.T) {
	a, pivots := []float64{5e-324, 1, 5e-324, 3}, make([]int, 2)
	require.Equal(t, -1, LU(parallel.Serial(), 2, a, 2, pivots))
	require.Equal(t, []float64{5e-324, 1, 1, 2}, a)
}

func TestLUOfElementsThatAreNotFiniteEnds(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, place := range []int{0, 50, 99} {
			a, stride := random[float64](100, 100)
			a[place*stride+place] = v
			pivots := make([]int, 100)
			require.Equal(t, -1, LU(parallel.Serial(), 100, a, stride, pivots))
			for i, p := range pivots {
				require.True(t, p >= i && p < 100)
			}
		}
	}
}

func TestLUHasTheSameBitsForEveryNumberOfThreads(t *testing.T) {
	requireSameBits(t, func(thread *parallel.Thread) []float32 {
		a, stride := random[float32](300, 300)
		LU(thread, 300, a, stride, make([]int, 300))
		return a
	})
}
