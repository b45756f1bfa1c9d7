package factor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

func TestTheProductOfTheFactorsIsTheMatrixWithRowsExchanged(t *testing.T) {
	eachType(t, testLU[float32], testLU[float64], testLU[complex64], testLU[complex128])
}

func testLU[E Element](t *testing.T) {
	for _, size := range sizes {
		a, stride := random[E](size, size)
		exchanged, pivots := append([]E{}, a...), make([]int, size)
		require.Equal(t, -1, LU(parallel.Serial(), size, a, stride, pivots))
		Exchange(pivots, size, exchanged, stride)
		factors := denseOf(a, size, size, stride)
		l, u := factors.keep(func(i, j int) bool { return j < i }), factors.keep(func(i, j int) bool { return j >= i })
		for i := range size {
			l[i][i] = 1
		}
		require.LessOrEqual(t, l.largest(), 1.5) // √2 where pivots are chosen by sums of parts
		requireClose(t, denseOf(exchanged, size, size, stride), l.times(u, size), 8*float64(size)*unit[E]()*(1+u.largest()))
		requireFillers(t, a, size, stride)
		requireFillers(t, exchanged, size, stride)
	}
}

// TestPivotsAreTheLargestElements compares with elimination row by row.
func TestPivotsAreTheLargestElements(t *testing.T) {
	eachType(t, testPivots[float32], testPivots[float64], testPivots[complex64], testPivots[complex128])
}

func testPivots[E Element](t *testing.T) {
	const size = 60
	a, stride := random[E](size, size)
	plain, want := denseOf(a, size, size, stride), []int{}
	magnitude := func(v complex128) float64 { return math.Abs(real(v)) + math.Abs(imag(v)) }
	for k := range size {
		p := k
		for i := k; i < size; i++ {
			if magnitude(plain[i][k]) > magnitude(plain[p][k]) {
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
	eachType(t, testSingular[float32], testSingular[float64], testSingular[complex64], testSingular[complex128])
}

func testSingular[E Element](t *testing.T) {
	for _, size := range []int{1, 7, 40, 100} {
		for _, column := range []int{0, size / 2, size - 1} {
			a, stride := random[E](size, size)
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
	z := []complex128{5e-324i, 1, 5e-324, 3}
	require.Equal(t, -1, LU(parallel.Serial(), 2, z, 2, pivots))
	require.Equal(t, []complex128{5e-324i, 1, -1i, 3 + 1i}, z)
}

func TestLUOfElementsThatAreNotFiniteEnds(t *testing.T) {
	eachType(t, testLUEnds[float32], testLUEnds[float64], testLUEnds[complex64], testLUEnds[complex128])
}

func testLUEnds[E Element](t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, place := range []int{0, 50, 99} {
			a, stride := random[E](100, 100)
			a[place*stride+place] = element[E](complex(v, 0))
			pivots := make([]int, 100)
			require.Equal(t, -1, LU(parallel.Serial(), 100, a, stride, pivots))
			for i, p := range pivots {
				require.True(t, p >= i && p < 100)
			}
		}
	}
}

func TestLUHasTheSameBitsForEveryNumberOfThreads(t *testing.T) {
	eachType(t, testLUBits[float32], testLUBits[float64], testLUBits[complex64], testLUBits[complex128])
}

func testLUBits[E Element](t *testing.T) {
	requireSameBits(t, func(thread *parallel.Thread) []E {
		a, stride := random[E](300, 300)
		LU(thread, 300, a, stride, make([]int, 300))
		return a
	})
}
