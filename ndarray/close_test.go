package ndarray_test

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// isClose is the definition for numbers, as NumPy has it.
func isClose(x, y complex128, relative, absolute float64) bool {
	return x == y || !cmplx.IsInf(y) && !cmplx.IsNaN(y) && cmplx.Abs(x-y) <= absolute+float64(relative*cmplx.Abs(y))
}

func TestCloseElementsAreWithinTheTolerances(t *testing.T) {
	numbers := []float64{0, 1, 1.05, -1, -1.05, 100, 104, 1e-9, math.Inf(1), math.Inf(-1), nan, 300, 0.5}
	for _, d := range []dtype.DType{dtype.Float64, dtype.Float32, dtype.Float16, dtype.BFloat16, dtype.Int64, dtype.Uint8, dtype.Bool, dtype.Complex64, dtype.Complex128} {
		for _, e := range []dtype.DType{dtype.Float64, dtype.Float32, dtype.Int8, dtype.Uint8, dtype.Bool, dtype.Complex128} {
			x, y := nd.FromSlice(numbers).Cast(d), nd.FromSlice(numbers).Cast(e)
			column := x.ExpandDims(1)
			xs, ys := values[complex128](t, x.Cast(dtype.Complex128)), values[complex128](t, y.Cast(dtype.Complex128))
			for _, tolerances := range [][2]float64{{0.0625, 0.0009765625}, {0, 0}, {0, 4.5}, {math.Inf(1), 0}} {
				got := column.IsClose(y, tolerances[0], tolerances[1])
				require.Equal(t, []int{len(numbers), len(numbers)}, got.Shape())
				for i, close := range values[bool](t, got) {
					x, y := xs[i/len(numbers)], ys[i%len(numbers)]
					if math.IsInf(tolerances[0], 1) && (y == 0 || cmplx.IsNaN(x)) { // 0·∞ is no tolerance
						continue
					}
					require.Equal(t, isClose(x, y, tolerances[0], tolerances[1]), close, "%v of %v, %v of %v, within %v", x, d, y, e, tolerances)
				}
			}
		}
	}
	x := nd.Arange(0.0, 12, 1).Reshape(3, 4)
	require.True(t, values[bool](t, x.T().IsClose(x.T().AddScalar(1e-9), 1e-5, 1e-8).AllTrue())[0])
	require.Equal(t, []bool{false, true, false}, values[bool](t, x.Index("::-1, 2").IsClose(nd.Weak(6.0), 0, 0)))
	require.Equal(t, []int{0, 4}, x.Index("1:1").IsClose(x.Index(0), 0, 0).Shape())
	require.Equal(t, dtype.Bool, x.Index("1:1").IsClose(x.Index(0), 0, 0).DType())
	require.Equal(t, []bool{true}, values[bool](t, nd.Full(2.0).IsClose(nd.Full(2.0), 0, 0)))
	for _, bad := range [][2]float64{{-1, 0}, {0, -1}, {nan, 0}, {0, nan}} {
		require.ErrorIs(t, mistake(t, func() { x.IsClose(x, bad[0], bad[1]) }), fault.ErrParameter)
	}
	require.ErrorIs(t, mistake(t, func() { x.IsClose(nd.Ones[float64](3), 0, 0) }), fault.ErrShape)
}
