package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// checkFetched selects along both axes of a matrix by indices of type I, all in range or one of them negative, and compares with T by T.
func checkFetched[T interface {
	dtype.Element
	comparable
}, I int32 | int64](t *testing.T, value layoutValue[T]) {
	r := random()
	const rows, columns, most = 37, 70, 2000
	x := newFilled(r, []int{rows, columns}, rowMajor, value)
	index := dtype.Of[I]()
	for _, negatives := range []int{0, 1, 5} {
		for axis, length := range []int{rows, columns} {
			shape := []int{rows, columns}
			shape[axis] = 1 + r.IntN(most)
			indices := newView(r, index, shape, rowMajor)
			all := slice[I](indices.Pointer.Host, indices.Count())
			for i := range all {
				all[i] = I(r.IntN(length))
			}
			for range negatives {
				all[r.IntN(len(all))] -= I(length)
			}
			dst := newView(r, x.DType, shape, rowMajor)
			run(t, device.KernelName("take_along_axis", x.DType), &device.Arguments{Outputs: views(dst), Inputs: views(x, indices), Integers: []int64{int64(axis), modeRaise, 0}})
			for i, index := range all {
				at := []int{i / shape[1], i % shape[1]}
				at[axis] = (int(index) + length) % length
				require.Equal(t, *(*T)(address(x, at)), slice[T](dst.Pointer.Host, len(all))[i], "%d negative, axis %d, element %d", negatives, axis, i)
			}
			line := x
			line.Shape, line.Strides = []int{length}, []int{1}
			run(t, device.KernelName("take", x.DType), &device.Arguments{Outputs: views(dst), Inputs: views(line, indices), Integers: []int64{0, modeRaise}})
			for i, index := range all {
				require.Equal(t, *(*T)(address(line, []int{(int(index) + length) % length})), slice[T](dst.Pointer.Host, len(all))[i], "element %d", i)
			}
			all[r.IntN(len(all))] = I(length)
			require.ErrorIs(t, call(t, pools[2].Thread(), device.KernelName("take_along_axis", x.DType), &device.Arguments{
				Outputs: views(dst), Inputs: views(x, indices), Integers: []int64{int64(axis), modeRaise, 0},
			}), fault.ErrIndex)
		}
	}
}

func TestIndicesInRangeAndOthersFetchTheSameElements(t *testing.T) {
	checkFetched[uint8, int64](t, finite[uint8])
	checkFetched[int16, int32](t, finite[int16])
	checkFetched[float32, int64](t, finite[float32])
	checkFetched[float64, int32](t, finite[float64])
	checkFetched[int64, int64](t, finite[int64])
}
