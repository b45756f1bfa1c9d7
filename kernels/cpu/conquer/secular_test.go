package conquer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/weft-nd/weft/parallel"
)

// ascendingNumbers returns numbers from zero on, some of them close together, and z.
func ascendingNumbers(r *rand.Rand, count int) (numbers, z []float64) {
	numbers, z = make([]float64, count), make([]float64, count)
	for i := range numbers {
		if z[i] = r.NormFloat64(); i > 0 {
			numbers[i] = numbers[i-1] + math.Pow(10, -8*r.Float64())
		}
	}
	return numbers, z
}

func TestRootsAreTheEigenvaluesOfADiagonalAndAMatrixOfRankOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, count := range []int{1, 2, 3, 10, 40} {
		numbers, z := ascendingNumbers(r, count)
		matrix := mat.NewSymDense(count, nil)
		matrix.SymOuterK(0.7, mat.NewDense(count, 1, z))
		for i, v := range numbers {
			matrix.SetSym(i, i, matrix.At(i, i)+v)
		}
		var eigen mat.EigenSym
		require.True(t, eigen.Factorize(matrix, false))
		roots, distances := make([]float64, count), make([]float64, count*count)
		NewSecular(numbers, z, 0.7, false).Roots(parallel.Serial(), distances, roots)
		require.InDeltaSlice(t, eigen.Values(nil), roots, 1e-13*roots[count-1])
		for i, root := range roots {
			for j, number := range numbers {
				require.InDelta(t, number-root, distances[i*count+j], 1e-15*roots[count-1])
			}
		}
	}
}

func TestRootsOfSquaresAreTheSingularValuesOfADiagonalBelowARow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, count := range []int{2, 3, 10, 40} {
		numbers, z := ascendingNumbers(r, count)
		matrix := mat.NewDense(count, count, nil)
		matrix.SetRow(0, z)
		for i := 1; i < count; i++ {
			matrix.Set(i, i, numbers[i])
		}
		var svd mat.SVD
		require.True(t, svd.Factorize(matrix, mat.SVDNone))
		want := svd.Values(nil)
		slices.Reverse(want)
		roots, distances := make([]float64, count), make([]float64, count*count)
		s := NewSecular(numbers, z, 1, true)
		s.Roots(parallel.Serial(), distances, roots)
		require.InDeltaSlice(t, want, roots, 1e-13*want[count-1])

		exact, left, right := s.ExactFor(distances), make([]float64, count), make([]float64, count)
		require.InDeltaSlice(t, z, exact, 1e-10)
		for i, root := range roots {
			s.LeftVector(exact, distances[i*count:][:count], left)
			s.Vector(exact, distances[i*count:][:count], right)
			var product mat.VecDense
			product.MulVec(matrix, mat.NewVecDense(count, right))
			for j, v := range left {
				require.InDelta(t, root*v, product.AtVec(j), 1e-12*want[count-1])
			}
		}
	}
}

func TestTurnsMakeAnElementZeroAndKeepTheMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		z, d := mat.NewVecDense(2, []float64{r.NormFloat64(), r.NormFloat64()}), mat.NewDense(2, 2, []float64{r.NormFloat64(), 0, 0, r.NormFloat64()})
		turn := TurnOf(z.AtVec(0), z.AtVec(1), d.At(0, 0), d.At(1, 1))
		rotation := mat.NewDense(2, 2, []float64{turn.Cosine, turn.Sine, -turn.Sine, turn.Cosine})
		var turned mat.VecDense
		turned.MulVec(rotation, z)
		require.InDelta(t, 0, turned.AtVec(0), 1e-15)
		require.InDelta(t, turn.Size, turned.AtVec(1), 1e-15)
		var matrix mat.Dense
		matrix.Product(rotation, d, rotation.T())
		require.InDelta(t, turn.First, matrix.At(0, 0), 1e-15)
		require.InDelta(t, turn.Second, matrix.At(1, 1), 1e-15)
		require.InDelta(t, turn.Beside, math.Abs(matrix.At(0, 1)), 1e-15)
	}
}
