package factor

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

func eachTriangle(body func(triangle Triangle)) {
	for bits := range 8 {
		body(Triangle{Upper: bits&1 != 0, Transposed: bits&2 != 0, Unit: bits&4 != 0})
	}
}

// triangular returns a triangular matrix of moderate condition, and NaN where it must not be read.
func triangular[E Element](triangle Triangle, size int) (a []E, stride int) {
	a, stride = random[E](size, size)
	for i := range size {
		for j := range size {
			switch {
			case i == j && triangle.Unit, triangle.Upper && j < i, !triangle.Upper && j > i:
				a[i*stride+j] = element[E](notANumber)
			case i == j:
				a[i*stride+j] += element[E](complex(math.Copysign(2, real(number(a[i*stride+j]))), 0))
			default:
				a[i*stride+j] /= element[E](complex(float64(size), 0))
			}
		}
	}
	return a, stride
}

// equations returns the matrix that is meant.
func (triangle Triangle) equations(d dense) dense {
	d = d.keep(func(i, j int) bool {
		return i == j && !triangle.Unit || triangle.Upper && j > i || !triangle.Upper && j < i
	})
	for i := range d {
		if triangle.Unit {
			d[i][i] = 1
		}
	}
	if triangle.Transposed {
		d = d.transposed()
	}
	return d
}

func TestSolutionsOfTriangularEquationsSatisfyThem(t *testing.T) {
	eachType(t, testTriangle[float32], testTriangle[float64], testTriangle[complex64], testTriangle[complex128])
}

func testTriangle[E Element](t *testing.T) {
	eachTriangle(func(triangle Triangle) {
		for _, size := range sizes {
			for _, columns := range []int{0, 1, 2, 3, 7, 8, 9, 40, 130} {
				if testing.Short() && size*size*columns > 1<<17 {
					continue // minutes where the processor is emulated
				}
				t.Run(fmt.Sprintf("%+v %d %d", triangle, size, columns), func(t *testing.T) {
					a, strideA := triangular[E](triangle, size)
					b, strideB := random[E](size, columns)
					want := denseOf(b, size, columns, strideB)
					SolveTriangular(parallel.Serial(), triangle, size, columns, a, strideA, b, strideB, 1)
					got := triangle.equations(denseOf(a, size, size, strideA)).times(denseOf(b, size, columns, strideB), columns)
					requireClose(t, want, got, 8*float64(1+size)*unit[E]())
					requireFillers(t, b, columns, strideB)
				})
			}
		}
	})
}

func TestPivotsWhoseInverseIsInfiniteDivide(t *testing.T) {
	for _, columns := range []int{1, 2, 20} {
		a, b := []float64{5e-324, 0, 0, 2}, make([]float64, 2*columns)
		for j := range columns {
			b[j], b[columns+j] = 1e-323, 6
		}
		SolveTriangular(parallel.Serial(), Triangle{}, 2, columns, a, 2, b, columns, 1)
		for j := range columns {
			require.Equal(t, []float64{2, 3}, []float64{b[j], b[columns+j]})
		}
		z, y := []complex128{5e-324i, 0, 0, 2}, make([]complex128, 2*columns)
		for j := range columns {
			y[j], y[columns+j] = 1e-323, 6i
		}
		SolveTriangular(parallel.Serial(), Triangle{}, 2, columns, z, 2, y, columns, 1)
		for j := range columns {
			require.Equal(t, []complex128{-2i, 3i}, []complex128{y[j], y[columns+j]})
		}
	}
}

func TestAZeroOnTheDiagonalDivides(t *testing.T) {
	for _, columns := range []int{1, 2, 20} {
		b := make([]float32, columns)
		b[0] = 3
		SolveTriangular(parallel.Serial(), Triangle{}, 1, columns, []float32{0}, 1, b, columns, 1)
		require.True(t, math.IsInf(float64(b[0]), 1))
		for _, v := range b[1:] {
			require.NotEqual(t, v, v)
		}
	}
}

func TestSolutionsOfRightSidesByColumnsAreThoseByRows(t *testing.T) {
	eachType(t, testByColumns[float32], testByColumns[float64], testByColumns[complex64], testByColumns[complex128])
}

func testByColumns[E Element](t *testing.T) {
	eachTriangle(func(triangle Triangle) {
		const size, columns = 50, 20
		a, strideA := triangular[E](triangle, size)
		b, strideB := random[E](size, columns)
		turned := make([]E, size*columns)
		for i := range size {
			for j := range columns {
				turned[j*size+i] = b[i*strideB+j]
			}
		}
		SolveTriangular(parallel.Serial(), triangle, size, columns, a, strideA, b, strideB, 1)
		SolveTriangular(parallel.Serial(), triangle, size, columns, a, strideA, turned, 1, size)
		got := zeros(size, columns)
		for i := range size {
			for j := range columns {
				got[i][j] = number(turned[j*size+i])
			}
		}
		requireClose(t, denseOf(b, size, columns, strideB), got, 100*unit[E]())
	})
}

func TestTriangularSolutionsHaveTheSameBitsForEveryNumberOfThreads(t *testing.T) {
	eachType(t, testTriangleBits[float32], testTriangleBits[float64], testTriangleBits[complex64], testTriangleBits[complex128])
}

func testTriangleBits[E Element](t *testing.T) {
	eachTriangle(func(triangle Triangle) {
		for _, columns := range []int{1, 5, 300} {
			requireSameBits(t, func(thread *parallel.Thread) []E {
				a, strideA := triangular[E](triangle, 200)
				b, strideB := random[E](200, columns)
				SolveTriangular(thread, triangle, 200, columns, a, strideA, b, strideB, 1)
				return b
			})
		}
	})
}
