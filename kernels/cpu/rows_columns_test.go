package cpu

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// matrixOf is a view of rows by columns elements that lie row by row, or column by column where it is turned.
func matrixOf[T dtype.Float](x []T, rows, columns int, turned bool) device.View {
	strides := []int{columns, 1}
	if turned {
		strides = []int{1, rows}
	}
	return device.View{Pointer: device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(x))}, DType: dtype.Of[T](), Shape: []int{rows, columns}, Strides: strides}
}

func TestColumnsAreComputedLikeRows(t *testing.T) {
	features.Each(func(level features.Level) {
		t.Run("float32/"+level.String(), columnsLikeRows[float32])
		t.Run("float64/"+level.String(), columnsLikeRows[float64])
	})
}

func columnsLikeRows[T dtype.Float](t *testing.T) {
	threads := []*parallel.Thread{parallel.Serial(), parallel.New(2).Thread()}
	for _, name := range []string{"softmax", "log_softmax", "softmax_gradient"} {
		kernel, found := Lookup(device.KernelName(name, dtype.Of[T]()))
		require.True(t, found)
		inputs := 1
		if name == "softmax_gradient" {
			inputs = 2
		}
		for _, rows := range []int{1, 3, 4, 15, 16, 17, 70} {
			for _, columns := range []int{1, 2, 7, 16, 33, 1025, 20_000} { // of the last there are fewer in a block
				if columns > 2000 && rows != 17 {
					continue
				}
				values := make([]T, 2*rows*columns)
				for i := range values {
					values[i] = T(i*7919%1000)/100 - 5
				}
				compute := func(thread *parallel.Thread, turned int) []T {
					all := make([][]T, 1+inputs)
					a := &device.Arguments{}
					for i := range all {
						all[i] = make([]T, rows*columns)
						isTurned := turned>>i&1 == 1
						for row := range rows {
							for column := range columns {
								at := row*columns + column
								if isTurned {
									at = column*rows + row
								}
								if i > 0 {
									all[i][at] = values[(i-1)*rows*columns+row*columns+column]
								}
							}
						}
						if view := matrixOf(all[i], rows, columns, isTurned); i == 0 {
							a.Outputs = append(a.Outputs, view)
						} else {
							a.Inputs = append(a.Inputs, view)
						}
					}
					require.NoError(t, kernel(thread, a))
					if turned&1 == 0 {
						return all[0]
					}
					result := make([]T, rows*columns)
					for row := range rows {
						for column := range columns {
							result[row*columns+column] = all[0][column*rows+row]
						}
					}
					return result
				}
				want := compute(threads[0], 0)
				for turned := 1; turned < 2<<inputs; turned++ {
					for _, thread := range threads {
						require.Equal(t, want, compute(thread, turned), fmt.Sprintf("%s of %d rows of %d, %b", name, rows, columns, turned))
					}
				}
			}
		}
	}
}
