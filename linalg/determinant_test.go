package linalg_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

// leibniz returns the determinant of a matrix by its first row.
func leibniz(a [][]float64) float64 {
	if len(a) == 0 {
		return 1
	}
	sum, sign := 0.0, 1.0
	for j, v := range a[0] {
		minor := [][]float64{}
		for _, row := range a[1:] {
			minor = append(minor, slices.Concat(row[:j], row[j+1:]))
		}
		sum += sign * v * leibniz(minor)
		sign = -sign
	}
	return sum
}

func TestDeterminantsAreThoseOfLeibniz(t *testing.T) {
	eachKind(t, []int{0, 1, 2, 3, 6}, func(t *testing.T, d dtype.DType, batch []int, size int) {
		a := matrices(d, slices.Concat(batch, []int{size, size})...)
		elements, want := valuesOf(t, a), []float64{}
		for i := range a.Count() / max(1, size*size) {
			rows := [][]float64{}
			for row := range size {
				start := (i*size + row) * size
				rows = append(rows, elements[start:start+size])
			}
			want = append(want, leibniz(rows))
		}
		if size == 0 {
			want = slices.Repeat([]float64{1}, linalg.Determinant(a).Count())
		}
		determinant := linalg.Determinant(a)
		requireNear(t, nd.FromSlice(want, batch...).Cast(d), determinant, 1e3*unit(d))
		sign, logarithm := linalg.SignLogDeterminant(a)
		requireNear(t, determinant, sign.Mul(logarithm.Exp()), 1e3*unit(d))
		requireNear(t, determinant.Sign(), sign, 0)
	})
}

func TestDeterminantsOfSingularMatricesAreZero(t *testing.T) {
	a := nd.FromSlice([]float64{1, 2, 2, 4, 0, 0, 0, 0}, 2, 2, 2)
	require.Equal(t, []float64{0, 0}, valuesOf(t, linalg.Determinant(a)))
	sign, logarithm := linalg.SignLogDeterminant(a)
	require.Equal(t, []float64{0, 0}, valuesOf(t, sign))
	require.Equal(t, []float64{math.Inf(-1), math.Inf(-1)}, valuesOf(t, logarithm))
}

func TestDeterminantsOverflowOnlyAsAWhole(t *testing.T) {
	huge := nd.FromSlice([]float64{1e300, 0, 0, 0, 1e300, 0, 0, 0, 1e-400 + 1e-320}, 3, 3)
	require.InEpsilon(t, 1e280, valuesOf(t, linalg.Determinant(huge))[0], 1e-3)
	require.Equal(t, math.Inf(1), valuesOf(t, linalg.Determinant(huge.Index(nd.Span(0, 2), nd.Span(0, 2))))[0])
}

func TestDeterminantsOfNaNAreNaN(t *testing.T) {
	a := nd.FromSlice([]float32{1, 2, float32(math.NaN()), 4}, 2, 2)
	_, logarithm := linalg.SignLogDeterminant(a)
	require.True(t, math.IsNaN(valuesOf(t, linalg.Determinant(a))[0]))
	require.True(t, math.IsNaN(valuesOf(t, logarithm)[0]))
}
