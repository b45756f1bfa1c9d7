package ndarray_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestMembersAreThoseThatEqualOneOfTheValues(t *testing.T) {
	numbers, wanted := []float64{3, 0, -1, 7.5, 100, math.Inf(1), nan, math.Copysign(0, -1), 3, 8}, []float64{8, 0, 100, nan, 3, 3, -2, math.Inf(1), 1}
	for _, d := range []dtype.DType{dtype.Float64, dtype.Float32, dtype.Float16, dtype.BFloat16, dtype.Int64, dtype.Int8, dtype.Uint8, dtype.Bool} {
		for _, e := range []dtype.DType{dtype.Float64, dtype.Float32, dtype.Int32, dtype.Uint16, dtype.Bool} {
			for shape, x := range map[string]*nd.Array{"line": nd.FromSlice(numbers), "view": nd.FromSlice(numbers, 5, 2).T().Flip(0), "one": nd.Full(3.0), "none": nd.Zeros[float64](0, 2)} {
				for count := range len(wanted) + 1 {
					x, v := x.Cast(d), nd.FromSlice(wanted[:count], 1, count).T().Cast(e)
					got := x.IsIn(v)
					require.Equal(t, x.Shape(), got.Shape())
					among := values[float64](t, v.Cast(dtype.Float64))
					var want []bool
					for _, number := range values[float64](t, x.Cast(dtype.Float64)) {
						want = append(want, slices.Contains(among, number))
					}
					require.True(t, slices.Equal(want, values[bool](t, got)), "%s of %v among %v of %v", shape, d, among, e)
				}
			}
		}
	}
	large := nd.FromSlice([]int64{1 << 62, 1<<62 + 1, math.MinInt64})
	require.Equal(t, []bool{false, true, true}, values[bool](t, large.IsIn(nd.FromSlice([]int64{1<<62 + 1, math.MinInt64}))))
	require.ErrorIs(t, mistake(t, func() { large.IsIn(nd.Ones[uint64](3)) }), fault.ErrDType)
	require.ErrorIs(t, mistake(t, func() { large.IsIn(nd.Ones[complex64](3)) }), fault.ErrDType)
}
