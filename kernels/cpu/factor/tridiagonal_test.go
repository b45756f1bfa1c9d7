package factor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

// interleaved returns the elements of a square matrix, as numbers if they have one part.
func interleaved(a dense, parts int) (numbers []float64) {
	for _, row := range a {
		for _, v := range row {
			numbers = append(numbers, []float64{real(v), imag(v)}[:parts]...)
		}
	}
	return numbers
}

// productOf returns the product of reflectors: the rows of the identity become its columns.
func productOf(blocks ReflectorBlocks, size, parts int) dense {
	vectors, q := make([]float64, size*size*parts), zeros(size, size)
	for i := range size {
		vectors[(i*size+i)*parts] = 1
	}
	blocks.Apply(parallel.Serial(), size, size*parts, vectors)
	for i := range size {
		for j := range size {
			v := pairOf(vectors[(j*size+i)*parts:][:parts])
			q[i][j] = complex(v[0], v[1])
		}
	}
	return q
}

func TestReflectorsMakeSymmetricAndHermitianMatricesTridiagonalAndReal(t *testing.T) {
	for _, parts := range []int{1, 2} {
		for _, n := range append(reduced, 32, 33, 70, 97) {
			t.Run(fmt.Sprintf("%dx%d", n, parts), func(t *testing.T) {
				want := randomHermitian(n).dense()
				for _, row := range want {
					for j, v := range row {
						if parts == 1 {
							row[j] = complex(real(v), 0)
						}
					}
				}
				columns := zeros(n, n)
				for i := range want {
					for j, v := range want[i] {
						columns[j][i] = v
					}
				}
				diagonal, beside := make([]float64, n), make([]float64, n)
				q := productOf(Tridiagonal(parallel.Serial(), n, parts, interleaved(columns, parts), diagonal, beside), n, parts)
				requireUnitary(t, q)
				tridiagonal := zeros(n, n)
				for i := range n {
					tridiagonal[i][i] = complex(diagonal[i], 0)
					if i+1 < n {
						tridiagonal[i][i+1], tridiagonal[i+1][i] = complex(beside[i], 0), complex(beside[i], 0)
					}
				}
				requireClose(t, want, q.times(tridiagonal, n).times(q.adjoint(), n), 1e-11)
			})
		}
	}
}

func TestReflectorsOfDiagonalMatricesAreNone(t *testing.T) {
	for _, parts := range []int{1, 2} {
		a, n := zeros(50, 50), 50
		for i := range a {
			a[i][i] = complex(float64(i), 0)
		}
		diagonal, beside := make([]float64, n), make([]float64, n)
		q := productOf(Tridiagonal(parallel.Serial(), n, parts, interleaved(a, parts), diagonal, beside), n, parts)
		for i := range n {
			require.Equal(t, float64(i), diagonal[i])
			require.Zero(t, beside[i])
			require.Equal(t, complex(1, 0), q[i][i])
		}
	}
}
