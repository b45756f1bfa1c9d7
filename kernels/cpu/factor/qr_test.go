package factor

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

func TestTheProductOfQAndRIsTheMatrix(t *testing.T) {
	eachType(t, testQR[float32], testQR[float64], testQR[complex64], testQR[complex128])
}

func testQR[E Element](t *testing.T) {
	for _, rows := range []int{0, 1, 2, 7, 9, 40, 100, 150} {
		for _, columns := range []int{0, 1, 3, 8, 17, 64, 65, 130} {
			t.Run(fmt.Sprint(rows, columns), func(t *testing.T) {
				a, stride := random[E](rows, columns)
				requireQR(t, a, rows, columns, stride, 1)
			})
		}
	}
}

// requireQR factors a, whose elements have about the given size.
func requireQR[E Element](t *testing.T, a []E, rows, columns, stride int, size float64) {
	t.Helper()
	count := min(rows, columns)
	q, strideQ := random[E](rows, count)
	want := denseOf(a, rows, columns, stride)
	QR(parallel.Serial(), rows, columns, a, stride, q, strideQ)
	r, orthonormal := denseOf(a, count, columns, stride), denseOf(q, rows, count, strideQ)
	tolerance := 16 * (1 + math.Sqrt(float64(rows*columns))) * unit[E]()
	if count > 0 {
		requireClose(t, want, orthonormal.times(r, columns), tolerance*size)
		turned := zeros(count, rows)
		for i := range rows {
			for j := range count {
				turned[j][i] = cmplx.Conj(orthonormal[i][j])
			}
		}
		one := zeros(count, count)
		for i := range one {
			one[i][i] = 1
		}
		requireClose(t, one, turned.times(orthonormal, count), tolerance)
	}
	for i := range rows {
		for j := range min(i, columns) {
			require.Zero(t, a[i*stride+j], "element (%d,%d) of R", i, j)
		}
		if i < columns {
			pivot := number(a[i*stride+i])
			require.GreaterOrEqual(t, real(pivot), 0.0)
			require.Zero(t, imag(pivot))
		}
	}
	requireFillers(t, a, columns, stride)
	requireFillers(t, q, count, strideQ)
}

func TestQROfMatricesThatAreHardToReflect(t *testing.T) {
	const n = 20
	for name, element := range map[string]func(i, j int) float64{
		"zeros":              func(i, j int) float64 { return 0 },
		"ones":               func(i, j int) float64 { return 1 },
		"triangular":         func(i, j int) float64 { return float64(min(1, max(0, j-i+1))) },
		"negative diagonal":  func(i, j int) float64 { return -float64(1 - min(1, (i-j)*(i-j))) },
		"huge":               func(i, j int) float64 { return 1e306 * float64(1+(i*j)%7) },
		"tiny":               func(i, j int) float64 { return 1e-306 * float64(1+(i*j)%7) },
		"subnormal":          func(i, j int) float64 { return 1e-315 * float64(1+(i*j)%7) },
		"one column is zero": func(i, j int) float64 { return float64(min(j, 1) * (1 + (i*j)%5)) },
	} {
		t.Run(name, func(t *testing.T) {
			a, size := make([]float64, n*n), 0.0
			for i := range a {
				a[i] = element(i/n, i%n)
				size = max(size, math.Abs(a[i]))
			}
			z := make([]complex128, n*n)
			for i, v := range a {
				z[i] = complex(v*float64(i%3), -v)
			}
			requireQR(t, a, n, n, n, max(size, 1e-320/unit[float64]()))
			requireQR(t, z, n, n, n, max(3*size, 1e-320/unit[float64]()))
		})
	}
}

func TestQRHasTheSameBitsForEveryNumberOfThreads(t *testing.T) {
	eachType(t, testQRBits[float32], testQRBits[float64], testQRBits[complex64], testQRBits[complex128])
}

func testQRBits[E Element](t *testing.T) {
	for _, sizes := range [][2]int{{300, 200}, {100, 300}} {
		requireSameBits(t, func(thread *parallel.Thread) []E {
			a, stride := random[E](sizes[0], sizes[1])
			q, strideQ := random[E](sizes[0], min(sizes[0], sizes[1]))
			QR(thread, sizes[0], sizes[1], a, stride, q, strideQ)
			return append(a, q...)
		})
	}
}

func TestQROfElementsThatAreNotFiniteEnds(t *testing.T) {
	eachType(t, testQREnds[float32], testQREnds[float64], testQREnds[complex64], testQREnds[complex128])
}

func testQREnds[E Element](t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a, stride := random[E](70, 70)
		a[3*stride+2] = element[E](complex(v, 1))
		q, strideQ := random[E](70, 70)
		QR(parallel.Serial(), 70, 70, a, stride, q, strideQ)
		require.NotZero(t, a[69*stride+69]-a[69*stride+69], "it is finite")
	}
}

func TestRWithoutQIsThatWithIt(t *testing.T) {
	for _, columns := range []int{1, 17, 70} {
		a, stride := random[float64](100, columns)
		b, _ := random[float64](100, columns)
		q, strideQ := random[float64](100, columns)
		QR(parallel.Serial(), 100, columns, a, stride, q, strideQ)
		QR(parallel.Serial(), 100, columns, b, stride, nil, strideQ)
		require.Equal(t, a, b)
	}
}
