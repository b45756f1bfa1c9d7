package ndarray_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// TestTakeAlongEveryAxisIsThatOfSingleElements takes few slices, and many, of all sizes, by indices of several dtypes.
func TestTakeAlongEveryAxisIsThatOfSingleElements(t *testing.T) {
	for _, shape := range [][]int{{40}, {40, 100}, {3, 5, 7}, {1, 6}, {6, 1}, {2, 3, 2, 3}} {
		x := floats(shape...)
		for axis, n := range shape {
			for _, count := range []int{1, 3, 8, 300} {
				numbers := make([]int64, count)
				for i := range numbers {
					numbers[i] = int64((7*i + 3) % n)
				}
				indices := nd.FromSlice(numbers, count)
				want := make([]*nd.Array, count)
				for i, number := range numbers {
					index := make([]any, axis+1)
					for before := range axis {
						index[before] = nd.Whole
					}
					index[axis] = int(number)
					want[i] = x.Index(index...)
				}
				joined := values[float32](t, nd.Stack(axis, want...))
				for _, d := range []dtype.DType{dtype.Int64, dtype.Int32, dtype.Uint8} {
					require.Equal(t, joined, values[float32](t, x.Take(indices.Cast(d), axis)), "%v along %d by %d of %v", shape, axis, count, d)
				}
				require.Equal(t, joined, values[float32](t, x.Take(indices.SubScalar(float64(n)), axis)), "%v along %d from the end", shape, axis)
			}
		}
	}
}
