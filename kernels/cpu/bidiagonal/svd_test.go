package bidiagonal

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/weft-nd/weft/kernels/cpu/conquer"
	"github.com/weft-nd/weft/parallel"
)

// matrices are bidiagonal ones: element i of the diagonal, and what is above it.
var matrices = map[string]func(r *rand.Rand, i, n int) (diagonal, above float64){
	"random":      func(r *rand.Rand, i, n int) (float64, float64) { return r.NormFloat64(), r.NormFloat64() },
	"zeros":       func(_ *rand.Rand, i, n int) (float64, float64) { return 0, 0 },
	"identity":    func(_ *rand.Rand, i, n int) (float64, float64) { return 1, 0 },
	"negative":    func(_ *rand.Rand, i, n int) (float64, float64) { return -1 - float64(i), 0 },
	"Jordan":      func(_ *rand.Rand, i, n int) (float64, float64) { return 0.5, 1 },
	"shift":       func(_ *rand.Rand, i, n int) (float64, float64) { return 0, 1 },
	"differences": func(_ *rand.Rand, i, n int) (float64, float64) { return 1, -1 },
	"zeros on the diagonal": func(r *rand.Rand, i, n int) (float64, float64) {
		return r.NormFloat64() * float64(min(1, i%7)), r.NormFloat64()
	},
	"zeros above": func(r *rand.Rand, i, n int) (float64, float64) {
		return r.NormFloat64(), r.NormFloat64() * float64(min(1, i%5))
	},
	"middle row of zeros": func(r *rand.Rand, i, n int) (float64, float64) {
		counts := math.Abs(math.Copysign(1, float64(i-n/2))) * float64(min(1, max(i-n/2, n/2-i)))
		return counts * r.NormFloat64(), counts * r.NormFloat64()
	},
	"last of zeros": func(r *rand.Rand, i, n int) (float64, float64) {
		return r.Float64() * float64(min(1, n-1-i)), r.Float64()
	},
	"graded": func(_ *rand.Rand, i, n int) (float64, float64) {
		return math.Exp2(-float64(i)), math.Exp2(-float64(i) - 1)
	},
	"steeply graded": func(_ *rand.Rand, i, n int) (float64, float64) {
		return math.Exp2(-4 * float64(i)), math.Exp2(-4*float64(i) - 1)
	},
	"graded upward": func(_ *rand.Rand, i, n int) (float64, float64) {
		return math.Exp2(float64(i - n)), math.Exp2(float64(i - n))
	},
	"clusters": func(r *rand.Rand, i, n int) (float64, float64) {
		return 1 + math.Floor(float64(3*i)/float64(n)) + 1e-14*r.Float64(), 1e-15 * r.Float64()
	},
	"weak ties":   func(r *rand.Rand, i, n int) (float64, float64) { return r.Float64(), 1e-8 * r.Float64() },
	"of low rank": func(r *rand.Rand, i, n int) (float64, float64) { return 1e-17 * r.NormFloat64(), float64(max(0, 4-i)) },
	"glued": func(_ *rand.Rand, i, n int) (float64, float64) {
		tie := 0.1
		if i%21 == 20 {
			tie = 1e-9
		}
		return math.Abs(float64(i%21)-10) / 10, tie
	},
	"small": func(r *rand.Rand, i, n int) (float64, float64) {
		return 1e-150 * r.NormFloat64(), 1e-150 * r.NormFloat64()
	},
	"large": func(r *rand.Rand, i, n int) (float64, float64) {
		return 1e150 * r.NormFloat64(), 1e150 * r.NormFloat64()
	},
}

// rowsOf returns so many rows of zeros.
func rowsOf(n int) conquer.Rows {
	return conquer.Rows{Numbers: make([]float64, n*(n+3)), Stride: n + 3}
}

// skew returns how far rows are from being orthonormal.
func skew(rows conquer.Rows, n int) (largest float64) {
	for i := range n {
		for j := range i + 1 {
			sum := 0.0
			for k, v := range rows.Row(j, 0, n) {
				sum += v * rows.Row(i, 0, n)[k]
			}
			if i == j {
				sum--
			}
			largest = max(largest, math.Abs(sum))
		}
	}
	return largest
}

func TestVectorsAreOrthogonalAndThoseOfTheMatrix(t *testing.T) {
	for name, of := range matrices {
		for _, n := range []int{1, 2, 31, 33, 64, 65, 130, 257} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, uint64(n)))
				diagonal, above := make([]float64, n), make([]float64, n)
				size := 0.0
				for i := range n {
					diagonal[i], above[i] = of(r, i, n)
					size = max(size, math.Abs(diagonal[i]), math.Abs(above[i]))
				}
				values, left, right := slices.Clone(diagonal), rowsOf(n), rowsOf(n)
				require.True(t, SVD(parallel.Serial(), values, slices.Clone(above)[:n-1], left, right))
				limit, residual := 4e-16*float64(10+n), 0.0
				for i, value := range values {
					require.GreaterOrEqual(t, value, 0.0)
					u, v := left.Row(i, 0, n), right.Row(i, 0, n)
					for k := range n {
						product := diagonal[k]*v[k] - value*u[k]
						if k < n-1 {
							product += above[k] * v[k+1]
						}
						transposed := diagonal[k]*u[k] - value*v[k]
						if k > 0 {
							transposed += above[k-1] * u[k-1]
						}
						residual = max(residual, math.Abs(product), math.Abs(transposed))
					}
				}
				require.LessOrEqual(t, residual, limit*size)
				require.LessOrEqual(t, skew(left, n), limit)
				require.LessOrEqual(t, skew(right, n), limit)
				slices.Sort(values)
				slices.Reverse(values)
				require.True(t, gonum.Implementation{}.Dbdsqr(blas.Upper, n, 0, 0, 0, diagonal, above, nil, 1, nil, 1, nil, 1, make([]float64, 4*n)))
				require.InDeltaSlice(t, diagonal, values, limit*size)
			})
		}
	}
}

func TestBitsDoNotDependOnTheNumberOfThreads(t *testing.T) {
	const n = 300
	solve := func(thread *parallel.Thread) (values []float64, left, right conquer.Rows) {
		r := rand.New(rand.NewPCG(1, 2))
		values, above := make([]float64, n), make([]float64, n)
		for i := range n {
			values[i], above[i] = matrices["random"](r, i, n)
		}
		left, right = rowsOf(n), rowsOf(n)
		require.True(t, SVD(thread, values, above, left, right))
		return values, left, right
	}
	values, left, right := solve(parallel.Serial())
	pool := parallel.New(3)
	defer pool.Close()
	sameValues, sameLeft, sameRight := solve(pool.Thread())
	require.Equal(t, values, sameValues)
	require.Equal(t, left, sameLeft)
	require.Equal(t, right, sameRight)
}
