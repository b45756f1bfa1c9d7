package ndarray_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// TestNothingPointsBehindSmallArrays computes of arrays that fill an object of Go's heap, and of views of nothing at its end: the runtime ends a
// process that has a pointer behind such an object, now and then by the collector, and always by the race detector, with which this is to be run.
func TestNothingPointsBehindSmallArrays(t *testing.T) {
	for range 8 {
		for n := 1; n <= 64; n++ {
			x := nd.Ones[uint32](32 * n)
			require.Equal(t, []uint64{uint64(32 * n)}, values[uint64](t, x.Sum()))
		}
		for n := 1; n < 8; n++ {
			x, y := nd.Zeros[float32](3, 1, n, 0), nd.Zeros[float32](1, 0, 4, 2).Transpose(0, 3, 1, 2)
			require.Equal(t, []int64{0}, values[int64](t, x.MatMul(y).CountNonzero()))
			for _, end := range []*nd.Array{nd.Ones[float32](n, 4).Index(nd.Whole, nd.Span(4, 4)), nd.Ones[float32](4, n).Flip(0, 1).T().Index(nd.Whole, nd.Span(4, 4))} {
				for name, y := range map[string]*nd.Array{
					"sum": end.Sum(1), "product": end.Prod(1).SubScalar(1), "all": end.AllTrue(1).LogicalNot(), "norm": end.Norm(2, 1), "squares": end.Sumsq(1), "scan": end.CumSum(1),
					"softmax": end.Softmax(1), "sort": end.Sort(1), "copy": end.Copy(), "sums": end.Add(end), "joint": nd.Concat(1, end, end), "product of none": end.MatMul(end.T()),
					"repeated": end.Repeat(3, 1), "padded": end.Pad(0, []int{0, 1}, []int{0, 0}), "counts": end.CountNonzero(1), "cast": end.Cast(dtype.Int8), "rolled": end.Roll(1, 1),
				} {
					require.Equal(t, []int64{0}, values[int64](t, y.CountNonzero()), name)
				}
			}
		}
	}
}
