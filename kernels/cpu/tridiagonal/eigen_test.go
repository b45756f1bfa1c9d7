package tridiagonal

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/weft-nd/weft/parallel"
)

// matrices are tridiagonal ones of which the largest element is near one: element i of the diagonal, and what is beside it.
var matrices = map[string]func(r *rand.Rand, i, n int) (diagonal, beside float64){
	"random":             func(r *rand.Rand, i, n int) (float64, float64) { return r.NormFloat64(), r.NormFloat64() },
	"zeros":              func(_ *rand.Rand, i, n int) (float64, float64) { return 0, 0 },
	"identity":           func(_ *rand.Rand, i, n int) (float64, float64) { return 1, 0 },
	"second differences": func(_ *rand.Rand, i, n int) (float64, float64) { return 2, -1 },
	"zero diagonal":      func(_ *rand.Rand, i, n int) (float64, float64) { return 0, 1 },
	"Wilkinson": func(_ *rand.Rand, i, n int) (float64, float64) {
		return math.Abs(float64(i)-float64(n-1)/2) * 2 / float64(n), 2 / float64(n)
	},
	"glued Wilkinson": func(_ *rand.Rand, i, n int) (float64, float64) {
		tie := 0.1
		if i%21 == 20 {
			tie = 1e-9
		}
		return math.Abs(float64(i%21)-10) / 10, tie
	},
	"graded": func(_ *rand.Rand, i, n int) (float64, float64) {
		return math.Exp2(-float64(i)), math.Exp2(-float64(i) - 1)
	},
	"graded upward": func(_ *rand.Rand, i, n int) (float64, float64) {
		return math.Exp2(float64(i - n)), math.Exp2(float64(i - n))
	},
	"clusters": func(r *rand.Rand, i, n int) (float64, float64) {
		return 1 + math.Floor(float64(3*i)/float64(n)) + 1e-14*r.Float64(), 1e-15 * r.Float64()
	},
	"weak ties":    func(r *rand.Rand, i, n int) (float64, float64) { return r.Float64(), 1e-8 * r.Float64() },
	"one negative": func(r *rand.Rand, i, n int) (float64, float64) { return -1, -1e-3 * r.Float64() },
}

func TestVectorsAreOrthogonalAndThoseOfTheMatrix(t *testing.T) {
	for name, of := range matrices {
		for _, n := range []int{1, 2, 31, 33, 64, 65, 130, 257} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, uint64(n)))
				diagonal, beside := make([]float64, n), make([]float64, n)
				size := 0.0
				for i := range n {
					diagonal[i], beside[i] = of(r, i, n)
					size = max(size, math.Abs(diagonal[i]), math.Abs(beside[i]))
				}
				stride := n + 3
				values, vectors := slices.Clone(diagonal), make([]float64, n*stride)
				require.True(t, Eigen(parallel.Serial(), values, slices.Clone(beside), vectors, stride))
				row := func(i int) []float64 { return vectors[i*stride:][:n] }
				limit, residual, skew := 4e-16*float64(10+n), 0.0, 0.0
				for i := range n {
					x := row(i)
					for k := range n {
						product := diagonal[k] * x[k]
						if k > 0 {
							product += beside[k-1] * x[k-1]
						}
						if k < n-1 {
							product += beside[k] * x[k+1]
						}
						residual = max(residual, math.Abs(product-values[i]*x[k]))
					}
					for j := range i + 1 {
						sum := 0.0
						for k, v := range row(j) {
							sum += v * x[k]
						}
						if i == j {
							sum--
						}
						skew = max(skew, math.Abs(sum))
					}
				}
				require.LessOrEqual(t, residual, limit*size)
				require.LessOrEqual(t, skew, limit)
				slices.Sort(values)
				require.True(t, gonum.Implementation{}.Dsteqr(lapack.EVCompNone, n, diagonal, beside, nil, 1, nil))
				require.InDeltaSlice(t, diagonal, values, limit*size)
			})
		}
	}
}

func TestBitsDoNotDependOnTheNumberOfThreads(t *testing.T) {
	n, of := 300, matrices["random"]
	solve := func(thread *parallel.Thread) (values, vectors []float64) {
		r := rand.New(rand.NewPCG(1, 2))
		values, beside, vectors := make([]float64, n), make([]float64, n), make([]float64, n*n)
		for i := range n {
			values[i], beside[i] = of(r, i, n)
		}
		require.True(t, Eigen(thread, values, beside, vectors, n))
		return values, vectors
	}
	values, vectors := solve(parallel.Serial())
	pool := parallel.New(3)
	defer pool.Close()
	sameValues, sameVectors := solve(pool.Thread())
	require.Equal(t, values, sameValues)
	require.Equal(t, vectors, sameVectors)
}
