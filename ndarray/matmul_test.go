package ndarray_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// The sums of single rows have an order of their own: whether they are those of one matrix follows from shapes, whatever the strides.
func TestProductsOfSingleRowsDoNotDependOnStrides(t *testing.T) {
	waves := func(d dtype.DType, shape ...int) *nd.Array {
		count := 1
		for _, length := range shape {
			count *= length
		}
		return nd.Arange[float32](0, float32(count), 1).MulScalar(0.7311).Sin().Reshape(shape...).Cast(d)
	}
	bits := func(a *nd.Array) []float64 { return values[float64](t, a.Cast(dtype.Float64)) }
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
		for _, c := range []struct{ x, y, repeated []int }{
			{[]int{5, 1, 300}, []int{300, 40}, []int{5, 300, 40}},
			{[]int{2, 3, 1, 600}, []int{3, 600, 9}, []int{2, 3, 600, 9}},
			{[]int{3, 2, 1, 600}, []int{3, 1, 600, 9}, []int{3, 2, 600, 9}},
			{[]int{4, 1, 1, 600}, []int{1, 600, 12}, []int{4, 1, 600, 12}},
			{[]int{5, 1, 600}, []int{600, 1}, []int{5, 600, 1}},
			{[]int{5, 7, 600}, []int{600, 1}, []int{5, 600, 1}},
			{[]int{300}, []int{300, 40}, []int{4, 300, 40}},
		} {
			t.Run(fmt.Sprint(d, c.x, c.repeated), func(t *testing.T) {
				x, y := waves(d, c.x...), waves(d, c.y...)
				repeated := y.BroadcastTo(c.repeated...)
				copied := repeated.Copy()
				want := bits(x.MatMul(copied))
				require.Equal(t, want, bits(x.MatMul(repeated)), "b repeated")
				last := []int{0, 1, 2, 3}[:len(c.repeated)]
				rank := len(last)
				last[rank-1], last[rank-2] = rank-2, rank-1
				require.Equal(t, want, bits(x.MatMul(copied.Transpose(last...).Copy().Transpose(last...))), "b turned")
				result := x.MatMul(copied)
				gaps := nd.ZerosIn(nd.DefaultEnv(), d, append(result.Shape(), 2)...).Index(nd.Rest, 0)
				nd.MatMulInto(gaps, x, repeated)
				require.Equal(t, want, bits(gaps), "a result with gaps")
			})
		}
		x, y := waves(d, 5, 1, 300), waves(d, 300, 40)
		joined := bits(x.Reshape(5, 300).MatMul(y))
		require.Equal(t, joined, bits(x.MatMul(y)), "rows that meet one matrix are those of a matrix")
		gaps := nd.ZerosIn(nd.DefaultEnv(), d, 5, 1, 40, 2).Index(nd.Rest, 0)
		nd.MatMulInto(gaps, x, y)
		require.Equal(t, joined, bits(gaps))
	}
}
