package cpu

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// requireScratch runs a kernel without borrowed memory and with exactly as much as it is said to take, between guards, and
// requires the same bits and intact guards. It returns how much that is.
func requireScratch(t *testing.T, name string, a device.Arguments, taken int) int {
	t.Helper()
	kernel, found := Lookup(name)
	require.True(t, found)
	require.NoError(t, kernel(parallel.Serial(), &a))
	want := elementBytes(a.Outputs[0])
	if taken == 0 {
		return 0
	}
	const guard = 256 << 10 // Threads write to parts of the memory that are far from each other.
	memory := bytes.Repeat([]byte{0xa5}, taken+2*guard+64)
	start := guard + int(-(uintptr(unsafe.Pointer(&memory[0]))+guard)&63)
	a.Scratch = device.Pointer{Host: unsafe.Pointer(&memory[start])}
	clearView(parallel.Serial(), a.Outputs[0])
	require.NoError(t, kernel(pools[2].Thread(), &a))
	require.Equal(t, want, elementBytes(a.Outputs[0]), name)
	outside := append(append([]byte{}, memory[:start]...), memory[start+taken:]...)
	require.Equal(t, len(outside), bytes.Count(outside, []byte{0xa5}), "%s wrote beside its %d bytes", name, taken)
	return taken
}

func elementBytes(v device.View) any {
	switch v.DType.Size() {
	case 2:
		return elements[uint16](v)
	case 8:
		return elements[uint64](v)
	}
	return elements[uint32](v)
}

func TestMatrixProductsStayInTheMemoryTheyAskFor(t *testing.T) {
	r, borrowed := random(), 0
	for _, size := range [][3]int{{40, 50, 60}, {3, 70, 90}, {90, 70, 3}, {64, 1, 64}, {1, 300, 80}, {80, 300, 1}, {33, 0, 60}} {
		m, k, n := size[0], size[1], size[2]
		for _, batch := range [][]int{{}, {2}} {
			shape := func(rows, columns int) []int { return append(append([]int{}, batch...), rows, columns) }
			for _, x := range matrices[float32](r, shape(m, k)) {
				for _, y := range matrices[float32](r, shape(k, n)) {
					output := newView(r, dtype.Float32, shape(m, n), layout(r.IntN(2)))
					a := device.Arguments{Outputs: []device.View{output}, Inputs: []device.View{x, y}}
					borrowed += requireScratch(t, "matmul/float32", a, MatMulScratch(output, x, y))
				}
			}
		}
	}
	require.NotZero(t, borrowed)
}

func TestReductionsStayInTheMemoryTheyAskFor(t *testing.T) {
	r := random()
	for _, how := range []layout{rowMajor, scattered} {
		for _, shape := range [][]int{{50, 70000}, {60, 66000}, {2000, 0}} {
			input, output := newFilled(r, shape, how, finite[float32]), newView(r, dtype.Float32, shape[:1], how)
			a := device.Arguments{Outputs: []device.View{output}, Inputs: []device.View{input}, Integers: []int64{1}}
			taken := requireScratch(t, "sum/float32", a, ReductionScratch(shape[0], shape[1], 4))
			require.Equal(t, shape[1] > 0, taken > 0)
		}
	}
}

func TestColumnsOfAReductionStayInTheMemoryTheyAskFor(t *testing.T) {
	columns := swapped(newFilled(random(), []int{1100, 2000}, rowMajor, finite[float32]))
	output := newView(random(), dtype.Float32, []int{2000}, rowMajor)
	a := device.Arguments{Outputs: []device.View{output}, Inputs: []device.View{columns}, Integers: []int64{1}}
	require.NotZero(t, requireScratch(t, "mean/float32", a, ReductionScratch(2000, 1100, 4)))
}

// All rows are the same memory.
func TestLongReductionsStayInTheMemoryTheyAskFor(t *testing.T) {
	const outputs, count = 12, 40*segment + 1
	row := newFilled(random(), []int{count}, rowMajor, finite[float32])
	rows := device.View{Pointer: row.Pointer, DType: row.DType, Shape: []int{outputs, count}, Strides: []int{0, 1}}
	a := device.Arguments{Outputs: []device.View{newView(random(), dtype.Int64, []int{outputs}, rowMajor)}, Inputs: []device.View{rows}, Integers: []int64{1}}
	require.NotZero(t, requireScratch(t, "argmax/float32", a, ReductionScratch(outputs, count, ArgMaxPartial)))
}

func TestSelectionsStayInTheMemoryTheyAskFor(t *testing.T) {
	r := random()
	for _, how := range []layout{rowMajor, scattered} {
		indices := newFilled(r, []int{20, 30}, how, func(r *rand.Rand) int64 { return r.Int64N(7) })
		array, selected := newFilled(r, []int{7, 3}, how, finite[float32]), newFilled(r, []int{20, 30, 3}, how, finite[float32])
		a := device.Arguments{Inputs: []device.View{array, indices}, Outputs: []device.View{newView(r, dtype.Float32, selected.Shape, how)}, Integers: []int64{0, modeRaise}}
		require.NotZero(t, requireScratch(t, "take/float32", a, SelectionScratch(600)))
		a.Inputs[0], a.Outputs[0] = selected, newView(r, dtype.Float32, array.Shape, how)
		require.NotZero(t, requireScratch(t, "scatter_add/float32", a, SelectionScratch(600)))
	}
}
