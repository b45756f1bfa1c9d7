package bench

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/parallel"
)

// binaryCase is an operator on float32 arrays of rows by columns, of which the second may be a row or a column that is repeated.
type binaryCase struct {
	name   string
	kernel string
	into   func(dst, x, y *nd.Array)
	result dtype.DType
	second string // "", "whole", "row", "column"
}

var (
	binaryCases = []binaryCase{
		{"add", "add/float32", nd.AddInto, dtype.Float32, "whole"},
		{"mul", "mul/float32", nd.MulInto, dtype.Float32, "whole"},
		{"row", "add/float32", nd.AddInto, dtype.Float32, "row"},
		{"column", "add/float32", nd.AddInto, dtype.Float32, "column"},
		{"greater", "greater/float32", nd.GreaterInto, dtype.Bool, "whole"},
		{"cast", "cast/float32/float64", func(dst, x, _ *nd.Array) { nd.CastInto(dst, x) }, dtype.Float64, ""},
		{"cast16", "cast/float32/float16", func(dst, x, _ *nd.Array) { nd.CastInto(dst, x) }, dtype.Float16, ""},
		{"stream", "positive/float32", func(dst, x, _ *nd.Array) { nd.PositiveInto(dst, x) }, dtype.Float32, ""},
	}
	binaryShapes = [][2]int{{20, 50}, {250, 400}, {2_500, 4_000}}
)

// bytes is how many bytes the case reads and writes, each once.
func (c binaryCase) bytes(rows, columns int) int {
	second := map[string]int{"whole": rows * columns, "row": columns, "column": rows}[c.second]
	return rows*columns*(4+c.result.Size()) + 4*second
}

// BenchmarkBinary measures element-wise operators, as BenchmarkBinary/<case>/<count>: calls from end to end one after another,
// and with the suffix "/kernel" the kernel alone. The case stream copies, which tells the bandwidth of memory.
func BenchmarkBinary(b *testing.B) {
	env := newEnv(b, "perdevice")
	pool := parallel.New(2)
	for _, c := range binaryCases {
		kernel, found := cpu.Lookup(c.kernel)
		require.True(b, found, c.kernel)
		for _, shape := range binaryShapes {
			rows, columns := shape[0], shape[1]
			count := rows * columns
			numbers := make([]float32, count)
			for i := range numbers {
				numbers[i] = float32(i%1000)*0.25 - 100
			}
			secondShape := map[string][]int{"": {0}, "whole": {rows, columns}, "row": {columns}, "column": {rows, 1}}[c.second]
			x := nd.FromSliceIn(env, numbers, rows, columns)
			y := nd.FromSliceIn(env, numbers[:product(secondShape)], secondShape...)
			dst := nd.ZerosIn(env, c.result, rows, columns)
			c.into(dst, x, y) // so that the memory is there
			require.NoError(b, dst.Wait(context.Background()))
			report := func(b *testing.B) {
				b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
				b.ReportMetric(float64(c.bytes(rows, columns))*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
			}
			name := c.name + "/" + strconv.Itoa(count)
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					c.into(dst, x, y)
					if count >= longCall {
						require.NoError(b, dst.Wait(context.Background()))
					}
				}
				require.NoError(b, dst.Wait(context.Background()))
				report(b)
			})
			b.Run(name+"/kernel", func(b *testing.B) {
				a := c.arguments(numbers, rows, columns)
				thread := pool.Thread()
				for b.Loop() {
					if err := kernel(thread, a); err != nil {
						b.Fatal(err)
					}
				}
				report(b)
			})
		}
	}
}

func product(shape []int) int {
	count := 1
	for _, n := range shape {
		count *= n
	}
	return count
}

// arguments are those of the kernel; each operand has memory of its own.
func (c binaryCase) arguments(numbers []float32, rows, columns int) *device.Arguments {
	view := func(d dtype.DType, memory []float32, rowStride, stride int) device.View {
		return device.View{
			Pointer: device.Pointer{Host: unsafe.Pointer(&memory[0])}, DType: d, Shape: []int{rows, columns}, Strides: []int{rowStride, stride},
		}
	}
	result := make([]float32, rows*columns*c.result.Size()/4)
	for i := range result {
		result[i] = 1 // so that the memory is there
	}
	a := &device.Arguments{Outputs: []device.View{view(c.result, result, columns, 1)}, Inputs: []device.View{view(dtype.Float32, numbers, columns, 1)}}
	copied := append([]float32{}, numbers...)
	switch c.second {
	case "whole":
		a.Inputs = append(a.Inputs, view(dtype.Float32, copied, columns, 1))
	case "row":
		a.Inputs = append(a.Inputs, view(dtype.Float32, copied, 0, 1))
	case "column":
		a.Inputs = append(a.Inputs, view(dtype.Float32, copied, 1, 0))
	}
	return a
}

// BenchmarkBinaryPeers measures NumPy, PyTorch and gorgonia on the cases of BenchmarkBinary, as
// BenchmarkBinaryPeers/<case>/<count>/<library>.
func BenchmarkBinaryPeers(b *testing.B) {
	tensors := gorgonia.measurer(b)
	for _, c := range binaryCases {
		for _, shape := range binaryShapes {
			name := fmt.Sprintf("%s/%d/", c.name, shape[0]*shape[1])
			report := func(b *testing.B, nanoseconds float64) {
				b.ReportMetric(float64(shape[0]*shape[1])/nanoseconds*1e3, "M/s")
				b.ReportMetric(float64(c.bytes(shape[0], shape[1]))/nanoseconds, "GB/s")
			}
			for _, library := range []pythonLibrary{numpy, torch} {
				b.Run(name+library.name, func(b *testing.B) { report(b, library.measure(b, "binary", c.name, shape[0], shape[1])) })
			}
			b.Run(name+"gorgonia", func(b *testing.B) { report(b, tensors(b, "binary", c.name, shape[0], shape[1])) })
		}
	}
}
