//go:build linux

package cpu

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
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
	checkReductionsBeside(t, dtype.Bool, "any", "all")
	checkReductionsBeside(t, dtype.Float32, "any", "all")
}

// Planes of few rows or columns lie at the end of their memory, and in dense ones what was written before an element is overwritten.
func TestPlanesOfFewRowsOrColumnsAreTransposedWithinTheirMemory(t *testing.T) {
	r, source, results := random(), guarded.Memory(t, 1<<16), guarded.Memory(t, 1<<16)
	for i := range source {
		source[i] = byte(r.Uint32())
	}
	check := func(size, rows, columns, gap int) {
		t.Helper()
		p := plane{size: size, rows: rows, columns: columns, dstRow: size, srcRow: (columns + gap) * size, dstColumn: (rows + gap) * size, srcColumn: size}
		from := source[len(source)-((rows-1)*p.srcRow+columns*size):]
		used := (columns-1)*p.dstColumn + rows*size
		features.Each(func(level features.Level) {
			fillWith(results, 0xA5)
			p.copy(unsafe.Pointer(&results[len(results)-used]), unsafe.Pointer(&from[0]))
			want := bytes.Repeat([]byte{0xA5}, len(results))
			for row := range rows {
				for column := range columns {
					copy(want[len(want)-used+column*p.dstColumn+row*size:][:size], from[row*p.srcRow+column*size:])
				}
			}
			require.True(t, bytes.Equal(want, results), "%v: %d×%d elements of %d bytes, gap %d", level, rows, columns, size, gap)
		})
	}
	for _, size := range []int{1, 2, 4, 8, 16} {
		for few := 1; few <= 17; few++ {
			for range 30 / thinned(5) {
				many, gap := 1+r.IntN(180), r.IntN(2)*r.IntN(4)
				check(size, few, many, gap)
				check(size, many, few, gap)
			}
		}
	}
}
