package factor

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

func eachTriangle(body func(triangle Triangle)) {
	for bits := range 8 {
		body(Triangle{Upper: bits&1 != 0, Transposed: bits&2 != 0, Unit: bits&4 != 0})
	}
}

// triangular returns a triangular matrix of moderate condition, and NaN where it must not be read.
func triangular[T gemm.Float](triangle Triangle, size int) (a []T, stride int) {
	a, stride = random[T](size, size)
	for i := range size {
		for j := range size {
			switch {
			case i == j && triangle.Unit, triangle.Upper && j < i, !triangle.Upper && j > i:
				a[i*stride+j] = T(math.NaN())
			case i == j:
				a[i*stride+j] += T(math.Copysign(2, float64(a[i*stride+j])))
			default:
				a[i*stride+j] /= T(size)
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
	eachType(t, testTriangle[float32], testTriangle[float64])
}

func testTriangle[T gemm.Float](t *testing.T) {
	eachTriangle(func(triangle Triangle) {
		for _, size := range sizes {
			for _, columns := range []int{0, 1, 2, 3, 7, 8, 9, 40, 300} {
				t.Run(fmt.Sprintf("%+v %d %d", triangle, size, columns), func(t *testing.T) {
					a, strideA := triangular[T](triangle, size)
					b, strideB := random[T](size, columns)
					want := denseOf(b, size, columns, strideB)
					SolveTriangular(parallel.Serial(), triangle, size, columns, a, strideA, b, strideB, 1)
					got := triangle.equations(denseOf(a, size, size, strideA)).times(denseOf(b, size, columns, strideB), columns)
					requireClose(t, want, got, 8*float64(1+size)*unit[T]())
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

func TestTriangularSolutionsHaveTheSameBitsForEveryNumberOfThreads(t *testing.T) {
	eachTriangle(func(triangle Triangle) {
		for _, columns := range []int{1, 5, 300} {
			requireSameBits(t, func(thread *parallel.Thread) []float64 {
				a, strideA := triangular[float64](triangle, 200)
				b, strideB := random[float64](200, columns)
				SolveTriangular(thread, triangle, 200, columns, a, strideA, b, strideB, 1)
				return b
			})
		}
	})
}
