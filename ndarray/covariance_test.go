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

func TestARowThatDoesNotVaryHasCovariancesOfZeroAndCorrelationsOfNaN(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		for _, n := range []int{2, 3, 7, 10, 1000} { // the mean of so many is another number than each, where the sum is rounded
			x := nd.Full(0.1, 1, n).Cast(d)
			require.Equal(t, []float64{0}, values[float64](t, x.Covariance(0).Cast(dtype.Float64)), "%v %d", d, n)
			requireFloats(t, []float64{nan}, x.Correlation().Cast(dtype.Float64))
		}
	}
}

func TestCorrelationsDoNotDependOnTheScaleOfARow(t *testing.T) {
	x := nd.FromNested([][]float64{{1, 4, 2, 8, 3}, {5, 5, 1, 0, 2}})
	want := values[float64](t, x.Correlation())
	for d, scales := range map[dtype.DType][]float64{
		dtype.Float16: {1e-5, 4000}, dtype.BFloat16: {1e-37, 1e37}, dtype.Float32: {1e-37, 1e37}, dtype.Float64: {1e-300, 1e300}, dtype.Complex128: {1e-300, 1e300},
	} {
		for _, scale := range scales {
			scaled := nd.Stack(0, x.Index(0).MulScalar(scale), x.Index(1)).Cast(d).Correlation()
			require.Equal(t, d, scaled.DType())
			require.InDeltaSlice(t, want, values[float64](t, scaled.Real().Cast(dtype.Float64)), 0.01, "%v %v", d, scale)
		}
	}
	half := nd.FromSlice([]float64{200, -200, 200, -200}, 1, 4).Cast(dtype.Float16)
	require.Equal(t, "[[4.e+04]]", half.Covariance(0).String(), "the sum is not what a float16 holds, but the mean is")
}
