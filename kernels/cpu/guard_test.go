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

func checkReductionsBeside(t *testing.T, d dtype.DType, operators ...string) {
	r, size := random(), d.Size()
	memory, results := guarded.Memory(t, 64*leaf*size), guarded.Memory(t, 1<<16)
	one := memoryOf(d, 1)
	for i := range memory {
		memory[i] = slice[byte](unsafe.Pointer(&one), size)[i%size]
	}
	check := func(operator string, shape, strides []int) {
		t.Helper()
		result := resultType(operator, d)
		used := (shape[0]-1)*strides[0] + (shape[1]-1)*strides[1] + 1
		for _, first := range []bool{true, false} {
			x := device.View{Pointer: device.Pointer{Host: unsafe.Pointer(&memory[0])}, DType: d, Shape: shape, Strides: strides}
			dst := device.View{Pointer: device.Pointer{Host: unsafe.Pointer(&results[0])}, DType: result, Shape: shape[:1], Strides: []int{1}}
			if !first {
				x.Pointer = x.Pointer.Add(len(memory) - used*size)
				dst.Pointer = dst.Pointer.Add(len(results) - shape[0]*result.Size())
			}
			run(t, device.KernelName(operator, d), &device.Arguments{Outputs: views(dst), Inputs: views(x), Integers: []int64{1}, Scalars: []float64{1}})
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
	checkReductionsBeside(t, dtype.Float32, "sum", "max", "sumsq", "argmin", "var", "logsumexp", "norm")
	checkReductionsBeside(t, dtype.Float16, "sum", "mean", "prod", "norm")
	checkReductionsBeside(t, dtype.BFloat16, "sum", "mean", "max")
	checkReductionsBeside(t, dtype.Float64, "sum", "min", "prod", "argmax", "var", "norm")
	checkReductionsBeside(t, dtype.Int64, "sum", "max", "argmax")
	checkReductionsBeside(t, dtype.Int32, "sum", "min", "argmin")
	checkReductionsBeside(t, dtype.Int16, "max", "argmax")
	checkReductionsBeside(t, dtype.Uint8, "sum", "max", "argmin")
}
