package cpu

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

// decomposedOf returns a matrix of numbers, which stay as they are, and memory for results of so many elements.
func decomposedOf(t *parallel.Thread, rows, columns, parts int, numbers []float64, results ...int) *decomposed {
	d := &decomposed{thread: t, rows: rows, columns: columns, isComplex: parts == 2, a: slices.Clone(numbers), unit: 1.0 / (1 << 52)}
	for _, count := range results {
		d.results = append(d.results, make([]float64, count))
	}
	return d
}

// elementAt returns an element of a matrix with so many columns.
func elementAt(numbers []float64, parts, columns, i, j int) complex128 {
	at := numbers[(i*columns+j)*parts:]
	if parts == 1 {
		return complex(at[0], 0)
	}
	return complex(at[0], at[1])
}

// skewOf returns how far the rows of a matrix are from being orthonormal, or its columns.
func skewOf(numbers []float64, parts, rows, columns int, byColumns bool) (largest float64) {
	count, length := rows, columns
	at := func(i, k int) complex128 { return elementAt(numbers, parts, columns, i, k) }
	if byColumns {
		count, length = columns, rows
		at = func(i, k int) complex128 { return elementAt(numbers, parts, columns, k, i) }
	}
	for i := range count {
		for j := range i + 1 {
			sum := complex(0, 0)
			for k := range length {
				sum += at(i, k) * cmplx.Conj(at(j, k))
			}
			if i == j {
				sum--
			}
			largest = max(largest, cmplx.Abs(sum))
		}
	}
	return largest
}

func TestFactorsOfSingularValuesAreThoseOfTheMatrixForEveryShapeAndNumberOfThreads(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	for _, shape := range [][2]int{{1, 1}, {1, 5}, {5, 1}, {7, 7}, {33, 33}, {40, 35}, {35, 40}, {35, 120}, {150, 40}, {131, 131}, {170, 140}, {140, 170}, {300, 131}} {
		rows, columns := shape[0], shape[1]
		small := min(rows, columns)
		for _, parts := range []int{1, 2} {
			for _, rank := range []int{small, small / 2} {
				t.Run(fmt.Sprintf("%dx%dx%d of rank %d", rows, columns, parts, rank), func(t *testing.T) {
					r, numbers := rand.New(rand.NewPCG(uint64(rows), uint64(columns))), make([]float64, rows*columns*parts)
					for i := range numbers {
						if numbers[i] = r.NormFloat64(); i >= rank*columns*parts && rank < small {
							numbers[i] = numbers[i-rank*columns*parts]
						}
					}
					d := decomposedOf(parallel.Serial(), rows, columns, parts, numbers, rows*small*parts, small, small*columns*parts)
					require.Empty(t, svd(d))
					u, s, v := d.results[0], d.results[1], d.results[2]
					limit := 1e-15 * float64(20+rows+columns)
					require.LessOrEqual(t, skewOf(u, parts, rows, small, true), limit)
					require.LessOrEqual(t, skewOf(v, parts, small, columns, false), limit)
					require.True(t, slices.IsSortedFunc(s, func(a, b float64) int { return int(math.Copysign(1, b-a)) }))
					for i := range rows {
						for j := range columns {
							sum := -elementAt(numbers, parts, columns, i, j)
							for k, value := range s {
								sum += elementAt(u, parts, small, i, k) * complex(value, 0) * elementAt(v, parts, columns, k, j)
							}
							require.LessOrEqual(t, cmplx.Abs(sum), limit*s[0])
						}
					}
					values := decomposedOf(parallel.Serial(), rows, columns, parts, numbers, small)
					require.Empty(t, singularValues(values))
					require.InDeltaSlice(t, s, values.results[0], limit*s[0])
					same := decomposedOf(pool.Thread(), rows, columns, parts, numbers, rows*small*parts, small, small*columns*parts)
					require.Empty(t, svd(same))
					require.Equal(t, d.results, same.results)
				})
			}
		}
	}
}

// TestSingularValuesBeyondSquaresAreFound has elements whose squares are not in the range of float64.
func TestSingularValuesBeyondSquaresAreFound(t *testing.T) {
	const n = 140
	for _, parts := range []int{1, 2} {
		for _, exponent := range []int{-900, 900} {
			r, numbers, scaled := rand.New(rand.NewPCG(1, 2)), make([]float64, n*n*parts), make([]float64, n*n*parts)
			for i := range numbers {
				numbers[i] = r.NormFloat64()
				scaled[i] = math.Ldexp(numbers[i], exponent)
			}
			want, got := decomposedOf(parallel.Serial(), n, n, parts, numbers, n*n*parts, n, n*n*parts), decomposedOf(parallel.Serial(), n, n, parts, scaled, n*n*parts, n, n*n*parts)
			require.Empty(t, svd(want))
			require.Empty(t, svd(got))
			values := decomposedOf(parallel.Serial(), n, n, parts, scaled, n)
			require.Empty(t, singularValues(values))
			for i, v := range want.results[1] {
				require.InDelta(t, v, math.Ldexp(got.results[1][i], -exponent), 1e-12)
				require.InDelta(t, v, math.Ldexp(values.results[0][i], -exponent), 1e-12)
			}
		}
	}
}
