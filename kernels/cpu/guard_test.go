//go:build linux

package cpu

import (
	"testing"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/guarded"
)

func checkReductionsBeside[T dtype.Real](t *testing.T, operators ...string) {
	r := random()
	var one T
	size := int(unsafe.Sizeof(one))
	memory, results := guarded.Memory(t, 64*leaf*size), guarded.Memory(t, 1<<16)
	ones := slice[T](unsafe.Pointer(&memory[0]), len(memory)/size)
	for i := range ones {
		ones[i] = 1
	}
	check := func(operator string, shape, strides []int) {
		t.Helper()
		d, result := dtype.Of[T](), resultType[T](operator)
		used := (shape[0]-1)*strides[0] + (shape[1]-1)*strides[1] + 1
		for _, first := range []bool{true, false} {
			x := device.View{Pointer: device.Pointer{Host: unsafe.Pointer(&memory[0])}, DType: d, Shape: shape, Strides: strides}
			dst := device.View{Pointer: device.Pointer{Host: unsafe.Pointer(&results[0])}, DType: result, Shape: shape[:1], Strides: []int{1}}
			if !first {
				x.Pointer = x.Pointer.Add(len(memory) - used*size)
				dst.Pointer = dst.Pointer.Add(len(results) - shape[0]*result.Size())
			}
			run(t, name[T](operator), &device.Arguments{Outputs: views(dst), Inputs: views(x), Integers: []int64{1}, Scalars: []float64{1}})
		}
	}
	features.Each(func(features.Level) {
		for _, operator := range operators {
			for range 60 {
				rows, columns := 1+r.IntN(30), 1+r.IntN(400)
				check(operator, []int{rows, columns}, []int{columns, 1})
				check(operator, []int{columns, rows}, []int{1, columns})
				check(operator, []int{1, leaf*(1+r.IntN(63)) + r.IntN(leaf)}, []int{leaf, 1})
			}
		}
	})
}

// Nothing beside the arrays is read, or the test dies: each lies at the very end, or the very beginning, of what may be.
func TestReductionsTouchNothingBesideTheirArrays(t *testing.T) {
	checkReductionsBeside[float32](t, "sum", "max", "sumsq", "argmin", "var", "logsumexp")
	checkReductionsBeside[float64](t, "sum", "min", "prod", "argmax", "var", "norm")
	checkReductionsBeside[int64](t, "sum", "max", "argmax")
	checkReductionsBeside[int32](t, "sum", "min", "argmin")
	checkReductionsBeside[int16](t, "max", "argmax")
	checkReductionsBeside[uint8](t, "sum", "max", "argmin")
}
