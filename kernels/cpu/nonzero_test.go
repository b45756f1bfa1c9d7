package cpu

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// TestIndicesOfNonzeroAreThoseOfEveryElement looks at all elements of arrays of several segments, however they and the indices lie.
func TestIndicesOfNonzeroAreThoseOfEveryElement(t *testing.T) {
	checkNonzero(t, dtype.Float32, []float32{0, 0, float32(math.Copysign(0, -1)), 1, float32(math.NaN()), 1e-45})
	checkNonzero(t, dtype.Float16, []uint16{0, 0, 1 << 15, 1, 0x7e00})
	checkNonzero(t, dtype.Bool, []bool{false, true})
	checkNonzero(t, dtype.Complex128, []complex128{0, 0, 1i, complex(math.Copysign(0, -1), 0)})
}

func checkNonzero[T dtype.Element | uint16](t *testing.T, d dtype.DType, values []T) {
	r := random()
	for _, shape := range append([][]int{{2*nonzeroSegment + 5}, {3, nonzeroSegment/2 + 1}, {17, 20, 60}}, shapes...) {
		for _, how := range []layout{rowMajor, scattered, broadcast} {
			x := newView(r, d, shape, how)
			each(shape, func(_ int, index []int) { *(*T)(address(x, index)) = values[r.IntN(len(values))] })
			want, count := make([][]int64, len(shape)), int64(0)
			each(shape, func(_ int, index []int) {
				if v := *(*T)(address(x, index)); v == *new(T) || d == dtype.Float16 && any(v) == uint16(1<<15) {
					return
				}
				for axis, i := range index {
					want[axis] = append(want[axis], int64(i))
				}
				count++
			})
			for _, workers := range []int{1, 8} {
				indices, found := newView(r, dtype.Int64, []int{len(shape), x.Count()}, how%broadcast), newView(r, dtype.Int64, nil, rowMajor)
				require.NoError(t, call(t, pools[workers].Thread(), "nonzero/"+d.String(), &device.Arguments{Outputs: views(indices, found), Inputs: views(x)}))
				require.Equal(t, []int64{count}, elements[int64](found))
				for room := max(0, count-1); room <= count; room++ {
					some := newView(r, dtype.Int64, []int{len(shape), int(room)}, how%broadcast)
					err := call(t, pools[workers].Thread(), "nonzero/"+d.String(), &device.Arguments{Outputs: views(some, found), Inputs: views(x)})
					require.NoError(t, err)
					require.Equal(t, []int64{count}, elements[int64](found))
					first := []int64{}
					for axis := range want {
						first = append(first, want[axis][:room]...)
					}
					require.Equal(t, first, elements[int64](some))
				}
				all := elements[int64](indices)
				for axis := range shape {
					row := all[axis*x.Count() : (axis+1)*x.Count()]
					require.Equal(t, append([]int64{}, want[axis]...), append([]int64{}, row[:count]...), "%v %v axis %d", d, shape, axis)
					for _, left := range row[count:] {
						require.Zero(t, left)
					}
				}
			}
		}
	}
}
