package ndarray_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// covariances are those of the rows of one matrix, by their definition.
func covariances(rows [][]float64, correction float64) (all []float64) {
	mean := func(row []float64) (sum float64) {
		for _, v := range row {
			sum += v / float64(len(row))
		}
		return sum
	}
	for _, x := range rows {
		for _, y := range rows {
			sum := 0.0
			for i := range x {
				sum += float64((x[i] - mean(x)) * (y[i] - mean(y)))
			}
			all = append(all, sum/math.Max(float64(len(x))-correction, 0))
		}
	}
	return all
}

func TestCovariancesOfRowsAreThoseOfTheDefinition(t *testing.T) {
	rows := [][]float64{{1, 4, 2, 8, 3}, {5, 5, 1, 0, 2}, {-3, 2, 6, 1, 1}}
	flat := nd.FromNested(rows)
	batch := nd.Stack(0, flat, flat.MulScalar(2), flat.Flip(1))
	for _, correction := range []float64{0, 1, 2.5} {
		want := covariances(rows, correction)
		for name, x := range map[string]*nd.Array{"matrix": flat, "view": flat.T().Copy().T(), "strided": nd.Concat(1, flat, flat).Index(":, :5"), "integers": flat.Cast(dtype.Int8), "float32": flat.Cast(dtype.Float32)} {
			c := x.Covariance(correction)
			require.Equal(t, []int{3, 3}, c.Shape())
			require.InDeltaSlice(t, want, values[float64](t, c.Cast(dtype.Float64)), 1e-5, name)
		}
		c := batch.Covariance(correction)
		require.Equal(t, []int{3, 3, 3}, c.Shape())
		require.InDeltaSlice(t, want, values[float64](t, c.Index(2)), 1e-12)
		require.InDeltaSlice(t, want, values[float64](t, c.Index(1).DivScalar(4)), 1e-12)
	}
	require.Equal(t, flat.Cast(dtype.Float32).DType(), flat.Cast(dtype.Float32).Covariance(1).DType())
	correlations := values[float64](t, flat.Correlation())
	c := covariances(rows, 0)
	for i := range 3 {
		for j := range 3 {
			require.InDelta(t, c[3*i+j]/math.Sqrt(float64(c[4*i]*c[4*j])), correlations[3*i+j], 1e-12)
		}
	}
	for _, v := range values[float64](t, flat.Correlation().Diagonal(0, 0, 1)) {
		require.LessOrEqual(t, v, 1.0)
	}
}

func TestCovariancesOfFewObservationsAndOfComplexNumbers(t *testing.T) {
	require.Equal(t, "[[nan nan]\n [nan nan]]", nd.Ones[float64](2, 1).Covariance(1).String())
	require.Equal(t, "[[0. 0.]\n [0. 0.]]", nd.Ones[float64](2, 1).Covariance(0).String())
	require.Equal(t, "[[nan nan]\n [nan nan]]", nd.Ones[float64](2, 0).Covariance(0).String())
	require.Equal(t, "[[nan nan]\n [nan  1.]]", nd.FromNested([][]float64{{1, 1}, {1, 2}}).Correlation().String())
	require.Equal(t, []int{3, 0, 0}, nd.Zeros[float32](3, 0, 4).Covariance(1).Shape())
	require.Equal(t, []int{3, 0, 0}, nd.Zeros[float32](3, 0, 4).Correlation().Shape())
	z := nd.FromNested([][]complex128{{1, 1i}, {2, 4}})
	require.Equal(t, "[[ 1.+0.j -1.+1.j]\n [-1.-1.j  2.+0.j]]", z.Covariance(1).String())
	require.InDelta(t, -math.Sqrt2/2, real(values[complex128](t, z.Correlation())[1]), 1e-12)
	require.ErrorIs(t, mistake(t, func() { nd.Ones[float64](3).Covariance(1) }), fault.ErrShape)
	require.ErrorIs(t, mistake(t, func() { nd.Ones[float64](3).Correlation() }), fault.ErrShape)
	require.ErrorIs(t, mistake(t, func() { nd.Ones[float64](2, 3).Covariance(nan) }), fault.ErrParameter)
}
