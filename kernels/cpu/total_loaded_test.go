package cpu

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// loadedReductions are totals of elements that are loaded as others, and the types of their results.
var loadedReductions = []struct {
	operator        string
	element, result dtype.DType
	scalar          float64
}{
	{"sum", dtype.Float16, dtype.Float16, 0}, {"sum", dtype.BFloat16, dtype.BFloat16, 0}, {"mean", dtype.Float16, dtype.Float16, 0},
	{"mean", dtype.BFloat16, dtype.BFloat16, 0}, {"mean", dtype.Int64, dtype.Float64, 0}, {"prod", dtype.Float16, dtype.Float16, 0},
	{"asum", dtype.BFloat16, dtype.BFloat16, 0}, {"norm", dtype.Float32, dtype.Float32, 2}, {"norm", dtype.Float32, dtype.Float32, 1},
	{"norm", dtype.Float16, dtype.Float16, 2}, {"norm", dtype.BFloat16, dtype.BFloat16, 2}, {"norm", dtype.Int8, dtype.Float64, 2}, {"norm", dtype.Complex64, dtype.Float32, 2},
	{"max", dtype.Float16, dtype.Float16, 0},
}

// loadedLayouts are shapes of two axes, the last of which is reduced, and strides.
func loadedLayouts() (layouts [][2][]int) {
	for _, count := range []int{257, 1000, 1024, 2047, 4096, 4097, 8193, 33_000, 70_001} {
		layouts = append(layouts, [2][]int{{7, count}, {count + count%3, 1}})
	}
	for _, count := range []int{1, 3, 8, 10, 16, 40, 255, 256} {
		layouts = append(layouts, [2][]int{{600, count}, {count, 1}}, [2][]int{{601, count}, {count + 1, 1}})
	}
	for _, width := range []int{8, 9, 15, 16, 17, 33, 500, 1023, 1024, 1025, 2049} {
		for _, rows := range []int{1, 2, 10, 16, 17, 100, 257} {
			layouts = append(layouts, [2][]int{{width, rows}, {1, width + rows%3}})
		}
	}
	return append(layouts, [2][]int{{1, 200_003}, {0, 1}}, [2][]int{{1, 3_000}, {0, 5}}, [2][]int{{40, 9_000}, {1, 41}})
}

func TestTotalsOfLoadedElementsHaveEqualBitsAtAllLevels(t *testing.T) {
	r := random()
	for _, c := range loadedReductions {
		t.Run(fmt.Sprint(c.operator, " ", c.element, " ", c.scalar), func(t *testing.T) {
			size := c.element.Size()
			numbers := newView(r, c.element, []int{600_000}, rowMajor)
			run(t, device.KernelName("cast", dtype.Float64, c.element), &device.Arguments{
				Outputs: views(numbers), Inputs: views(newFilled(r, numbers.Shape, rowMajor, finite[float64])),
			})
			special := newView(r, c.element, []int{600_000}, rowMajor)
			copy(slice[byte](special.Pointer.Host, 600_000*size), awkward(r, c.element, 600_000))
			zeros := newView(r, c.element, []int{600_000}, rowMajor)
			run(t, device.KernelName("fill", c.element), &device.Arguments{Outputs: views(zeros), Scalars: []float64{math.Copysign(0, -1)}, Integers: []int64{0}})
			for _, memory := range []device.View{numbers, special, zeros} {
				for _, layout := range loadedLayouts() {
					x := memory
					x.Pointer = x.Pointer.Add(r.IntN(999) * size)
					x.Shape, x.Strides = layout[0], layout[1]
					var want []byte
					features.Each(func(level features.Level) {
						dst := newView(r, c.result, x.Shape[:1], rowMajor)
						run(t, device.KernelName(c.operator, c.element), &device.Arguments{Outputs: views(dst), Inputs: views(x), Integers: []int64{1}, Scalars: []float64{c.scalar}})
						got := quiet(c.result, slice[byte](dst.Pointer.Host, x.Shape[0]*c.result.Size()))
						if level == features.Portable {
							want = got
						}
						require.True(t, bytes.Equal(want, got), "at %v: %v by %v", level, x.Shape, x.Strides)
					})
				}
			}
		})
	}
}

// TestTotalsOfLoadedElementsAreThoseOfTheLoaded compares with the same total of a copy that has the type in which elements are added.
func TestTotalsOfLoadedElementsAreThoseOfTheLoaded(t *testing.T) {
	r := random()
	x := newFilled(r, []int{600_000}, rowMajor, finite[float32])
	wide := newView(r, dtype.Float64, x.Shape, rowMajor)
	for i, v := range elements[float32](x) {
		slice[float64](wide.Pointer.Host, 600_000)[i] = float64(v)
	}
	features.Each(func(level features.Level) {
		for _, layout := range loadedLayouts() {
			for _, order := range []float64{1, 2} {
				results := [2]device.View{newView(r, dtype.Float32, layout[0][:1], rowMajor), newView(r, dtype.Float64, layout[0][:1], rowMajor)}
				for i, from := range []device.View{x, wide} {
					from.Shape, from.Strides = layout[0], layout[1]
					run(t, device.KernelName("norm", from.DType), &device.Arguments{Outputs: views(results[i]), Inputs: views(from), Integers: []int64{1}, Scalars: []float64{order}})
				}
				for i, v := range elements[float64](results[1]) {
					require.Equal(t, math.Float32bits(float32(v)), math.Float32bits(elements[float32](results[0])[i]), "norm %v at %v: %v by %v", order, level, layout[0], layout[1])
				}
			}
		}
	})
}
