package cpu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

func benchmark(b *testing.B, kernel string, bytes int, a *device.Arguments) {
	b.Helper()
	run, found := Lookup(kernel)
	require.True(b, found)
	b.Run(fmt.Sprint(kernel, a.Inputs[0].Shape), func(b *testing.B) {
		thread := parallel.Serial()
		b.SetBytes(int64(bytes))
		b.ReportAllocs()
		for b.Loop() {
			require.NoError(b, run(thread, a))
		}
	})
}

func floats(shape ...int) device.View {
	return newFilled(random(), shape, rowMajor, finite[float32])
}

func broadcastTo(v device.View, shape []int, strides ...int) device.View {
	v.Shape, v.Strides = shape, strides
	return v
}

func BenchmarkElementwise(b *testing.B) {
	for _, n := range []int{16, 1 << 10, 1 << 20} {
		x := floats(n)
		benchmark(b, "add/float32", 12*n, &device.Arguments{Outputs: views(floats(n)), Inputs: views(x, x)})
		benchmark(b, "relu/float32", 8*n, &device.Arguments{Outputs: views(floats(n)), Inputs: views(x)})
		benchmark(b, "exp/float32", 8*n, &device.Arguments{Outputs: views(floats(n)), Inputs: views(x)})
	}
	shape := []int{64, 128}
	bias := broadcastTo(floats(128), shape, 0, 1)
	benchmark(b, "add/float32", 12*64*128, &device.Arguments{Outputs: views(floats(shape...)), Inputs: views(floats(shape...), bias)})
	shape = []int{20000, 3}
	bias = broadcastTo(floats(3), shape, 0, 1)
	benchmark(b, "add/float32", 12*60000, &device.Arguments{Outputs: views(floats(shape...)), Inputs: views(floats(shape...), bias)})
}

func BenchmarkCopy(b *testing.B) {
	for _, n := range []int{128, 1024} {
		dst := floats(n, n)
		benchmark(b, "copy/float32", 8*n*n, &device.Arguments{Outputs: views(dst), Inputs: views(floats(n, n))})
		benchmark(b, "copy/float32", 8*n*n, &device.Arguments{Outputs: views(dst), Inputs: views(swapped(floats(n, n)))})
	}
}

func BenchmarkSum(b *testing.B) {
	for _, shape := range [][]int{{64, 128}, {1000, 1000}, {100000, 10}} {
		x := floats(shape...)
		size := 4 * x.Count()
		benchmark(b, "sum/float32", size, &device.Arguments{Outputs: views(floats(shape[0])), Inputs: views(x), Integers: []int64{1}})
		benchmark(b, "sum/float32", size, &device.Arguments{Outputs: views(floats(shape[1])), Inputs: views(swapped(x)), Integers: []int64{1}})
	}
}

func BenchmarkMatmul(b *testing.B) {
	for _, s := range [][3]int{{64, 784, 128}, {64, 128, 10}, {784, 64, 128}, {512, 512, 512}, {1, 512, 512}} {
		m, k, n := s[0], s[1], s[2]
		for _, x := range views(floats(m, k), swapped(floats(k, m))) {
			for _, y := range views(floats(k, n), swapped(floats(n, k))) {
				benchmark(b, "matmul/float32", 2*m*n*k, &device.Arguments{Outputs: views(floats(m, n)), Inputs: views(x, y)})
			}
		}
	}
}

func BenchmarkRandom(b *testing.B) {
	for _, kernel := range []string{"uniform/float32", "normal/float32"} {
		benchmark(b, kernel, 4<<16, &device.Arguments{
			Outputs: views(floats(1 << 16)), Inputs: views(device.View{}), Integers: []int64{1, 2}, Scalars: []float64{0, 1},
		})
	}
	order := newView(random(), dtype.Int64, []int{60000}, rowMajor)
	benchmark(b, "permutation/int64", 8*60000, &device.Arguments{Outputs: views(order), Inputs: views(device.View{}), Integers: []int64{1, 2}})
}
