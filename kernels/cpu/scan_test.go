package cpu

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// slowScan accumulates in the order that scan.go documents.
func slowScan[T any](x []T, join func(a, b T) T) []T {
	all := make([]T, len(x))
	for begin := 0; begin < len(x); begin += scanBlock {
		own := x[begin]
		for i := begin; i < min(begin+scanBlock, len(x)); i++ {
			if i > begin {
				own = join(own, x[i])
			}
			all[i] = own
			if begin > 0 {
				all[i] = join(all[begin-1], own)
			}
		}
	}
	return all
}

func checkScan[T dtype.Real](t *testing.T, operator string, value layoutValue[T], join func(a, b T) T) {
	t.Run(name[T](operator), func(t *testing.T) {
		r := random()
		for _, shape := range [][]int{{0}, {1}, {1024}, {1025}, {18_000}, {3, 3000}, {5, 0}, {0, 5}, {20, 40}, {7, 3, 10}} {
			for _, out := range []layout{rowMajor, scattered} {
				for _, in := range inputLayouts {
					x := newFilled(r, shape, in, value)
					length := shape[len(shape)-1]
					all, want := elements[T](x), []T{}
					for at := 0; at < len(all); at += length {
						want = append(want, slowScan(all[at:at+length], join)...)
					}
					got := sameBits[T](t, func(thread *parallel.Thread) device.View {
						dst := newView(randomAt(1), dtype.Of[T](), shape, out)
						require.NoError(t, call(t, thread, name[T](operator), &device.Arguments{Outputs: views(dst), Inputs: views(x)}))
						return dst
					})
					requireEqual(t, want, got, shape, out, in)
				}
			}
		}
		for _, shape := range [][]int{{3000, 10}, {1100, 300}} { // the lines are columns
			x := newFilled(r, shape, rowMajor, value)
			turned := transposedView(x, 1, 0)
			want := []T{}
			for at, all := 0, elements[T](turned); at < len(all); at += shape[0] {
				want = append(want, slowScan(all[at:at+shape[0]], join)...)
			}
			got := sameBits[T](t, func(thread *parallel.Thread) device.View {
				dst := transposedView(newView(random(), dtype.Of[T](), shape, rowMajor), 1, 0)
				require.NoError(t, call(t, thread, name[T](operator), &device.Arguments{Outputs: views(dst), Inputs: views(turned)}))
				return dst
			})
			requireEqual(t, want, got, shape)
		}
	})
}

func TestScansFollowTheDocumentedOrder(t *testing.T) {
	checkScan(t, "cumsum", finite[float32], func(a, b float32) float32 { return a + b })
	checkScan(t, "cumsum", finite[int64], func(a, b int64) int64 { return a + b })
	checkScan(t, "cumprod", finite[float64], func(a, b float64) float64 { return a * b })
	checkScan(t, "cummax", ordinary[float32], func(a, b float32) float32 { return max(a, b) })
	checkScan(t, "cummin", ordinary[float64], func(a, b float64) float64 { return min(a, b) })
	checkScan(t, "cummax", ordinary[int8], func(a, b int8) int8 { return max(a, b) })
}

// Where a scan leaves out the element of each result, the kernel gets the place of the first result apart.
func TestScansBeginWithTheResultOfNoElements(t *testing.T) {
	for kernel, want := range map[string]float64{
		"cumsum/float64": 0, "cumprod/float64": 1, "cummax/float64": math.Inf(-1), "cummin/float64": math.Inf(1), "recurrence/float64": 0,
	} {
		x := fromSlice([]float64{2, 3, 4}, 1, 3)
		first := newFilled(random(), []int{40, 1}, scattered, finite[float64])
		run(t, kernel, &device.Arguments{Outputs: views(newView(random(), dtype.Float64, []int{1, 3}, rowMajor), first), Inputs: views(x, x)})
		for _, v := range elements[float64](first) {
			require.Equal(t, want, v, kernel)
		}
	}
}
