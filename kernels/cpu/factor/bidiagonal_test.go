package factor

import (
	"fmt"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

// conjugates returns the conjugate elements.
func conjugates(a dense) dense {
	conjugate := zeros(len(a), 0)
	for i, row := range a {
		for _, v := range row {
			conjugate[i] = append(conjugate[i], cmplx.Conj(v))
		}
	}
	return conjugate
}

func TestReflectorsMakeMatricesBidiagonalAndReal(t *testing.T) {
	for _, parts := range []int{1, 2} {
		for _, n := range append(reduced, 1, 16, 17, 33, 70) {
			for _, more := range []int{0, 1, 9, 60} {
				t.Run(fmt.Sprintf("%dx%dx%d", n+more, n, parts), func(t *testing.T) {
					want := randomPlanes(n+more, n).dense()
					for _, row := range want {
						for j, v := range row {
							if parts == 1 {
								row[j] = complex(real(v), 0)
							}
						}
					}
					diagonal, above := make([]float64, n), make([]float64, n)
					left, right := Bidiagonal(parallel.Serial(), n+more, n, parts, interleaved(conjugates(want), parts), diagonal, above)
					q, p := productOf(left, n+more, parts), productOf(right, n, parts)
					requireUnitary(t, q)
					requireUnitary(t, p)
					bidiagonal := zeros(n+more, n)
					for i := range n {
						bidiagonal[i][i] = complex(diagonal[i], 0)
						if i+1 < n {
							bidiagonal[i][i+1] = complex(above[i], 0)
						}
					}
					requireClose(t, want, q.times(bidiagonal, n).times(p.adjoint(), n), 1e-11)
				})
			}
		}
	}
}

func TestBidiagonalMatricesAreLeftAsTheyAre(t *testing.T) {
	const n = 40
	for _, parts := range []int{1, 2} {
		a := zeros(n+3, n)
		for i := range n {
			a[i][i] = complex(float64(i), 0)
			if i+1 < n {
				a[i][i+1] = complex(float64(2-i), 0)
			}
		}
		diagonal, above := make([]float64, n), make([]float64, n)
		left, right := Bidiagonal(parallel.Serial(), n+3, n, parts, interleaved(a, parts), diagonal, above)
		for i := range n {
			require.Equal(t, float64(i), diagonal[i])
			if i+1 < n {
				require.Equal(t, float64(2-i), above[i])
			}
		}
		q, p := productOf(left, n+3, parts), productOf(right, n, parts)
		for i := range n {
			require.Equal(t, complex(1, 0), q[i][i])
			require.Equal(t, complex(1, 0), p[i][i])
		}
	}
}

func TestBidiagonalMatricesHaveTheSameBitsForEveryNumberOfThreads(t *testing.T) {
	const rows, columns = 150, 130
	for _, parts := range []int{1, 2} {
		requireSameBits(t, func(thread *parallel.Thread) []float64 {
			diagonal, above := make([]float64, columns), make([]float64, columns)
			a := interleaved(randomPlanes(rows, columns).dense(), parts)
			left, _ := Bidiagonal(thread, rows, columns, parts, a, diagonal, above)
			vectors := make([]float64, rows*parts)
			vectors[0] = 1
			left.Apply(thread, 1, rows*parts, vectors)
			return append(append(diagonal, above...), vectors...)
		})
	}
}
