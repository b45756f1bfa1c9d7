package gpu

import (
	"context"
	"testing"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	_ "github.com/weft-nd/weft/kernels/cuda"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// full returns an array of float32 on gpu(0), and skips the benchmark where there is none.
func full(b *testing.B, value float64, shape ...int) *nd.Array {
	b.Helper()
	return fullOf(b, dtype.Float32, value, shape...)
}

func fullOf(b *testing.B, d dtype.DType, value float64, shape ...int) *nd.Array {
	b.Helper()
	if err := device.Check(device.GPU(0)); err != nil {
		b.Skip(err)
	}
	if testing.Short() {
		shape = append([]int{1}, shape[1:]...)
	}
	a := nd.FullIn(nd.DefaultEnv().WithDevice(device.GPU(0)), d, value, shape...)
	wait(b, a)
	return a
}

// drawn returns an array of numbers between -1 and 1: a GPU multiplies equal ones faster, since that takes less power.
func drawn(b *testing.B, d dtype.DType, shape ...int) *nd.Array {
	b.Helper()
	like := fullOf(b, d, 0, shape...)
	a := random.Uniform(like.Env().WithSeed(1), d, -1, 1, like.Shape()...)
	wait(b, a)
	return a
}

func wait(b *testing.B, a *nd.Array) {
	b.Helper()
	if err := a.Wait(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// measure times compute, with the result of a call waited for, and reports bytes and operations of one call.
func measure(b *testing.B, bytes, operations int, compute func() *nd.Array) {
	b.Helper()
	wait(b, compute())
	b.SetBytes(int64(bytes))
	for b.Loop() {
		result := compute()
		wait(b, result)
		result.Release()
	}
	if operations > 0 {
		b.ReportMetric(float64(operations)*float64(b.N)/b.Elapsed().Seconds()/1e12, "TFLOP/s")
	}
}

const rows, columns = 1 << 18, 1 << 10 // of 1 GiB

// measureMoving is measure for what is bound by memory: it reports the part of the bandwidth of copies in the GPU's memory that a call
// reaches which reads and writes so many bytes.
func measureMoving(b *testing.B, x *nd.Array, bytes int, compute func() *nd.Array) {
	b.Helper()
	moved := 4 * x.Count()
	best := copyTime(b, moved, false)
	measure(b, bytes, 0, compute)
	reportOfCopies(b, bytes, best, moved)
}

// reportOfCopies reports the part of the bandwidth of copies, of which one of so many bytes takes as long as best, that a call has reached
// which reads and writes bytes.
func reportOfCopies(b *testing.B, bytes int, best time.Duration, copied int) {
	perByte := b.Elapsed().Seconds() / float64(b.N) / float64(bytes)
	b.ReportMetric(best.Seconds()/float64(2*copied)/perByte, "of-copies(bar:0.9)")
}

func BenchmarkAdd(b *testing.B) {
	x, y := full(b, 1, rows, columns), full(b, 2, rows, columns)
	measureMoving(b, x, 12*x.Count(), func() *nd.Array { return x.Add(y) })
}

func BenchmarkRowBroadcast(b *testing.B) {
	x, y := full(b, 1, rows, columns), full(b, 2, columns)
	measureMoving(b, x, 8*x.Count(), func() *nd.Array { return x.Add(y) })
}

func BenchmarkExp(b *testing.B) {
	x := full(b, 0.5, rows, columns)
	measureMoving(b, x, 8*x.Count(), func() *nd.Array { return x.Exp() })
}

func BenchmarkCopy(b *testing.B) {
	x := full(b, 0.5, rows, columns)
	measure(b, 8*x.Count(), 0, func() *nd.Array { return x.Copy() })
}

func BenchmarkSum(b *testing.B) {
	x := full(b, 0.5, rows, columns)
	b.Run("all", func(b *testing.B) { measure(b, 4*x.Count(), 0, func() *nd.Array { return x.Sum() }) })
	b.Run("rows", func(b *testing.B) { measure(b, 4*x.Count(), 0, func() *nd.Array { return x.Sum(1) }) })
	b.Run("columns", func(b *testing.B) { measure(b, 4*x.Count(), 0, func() *nd.Array { return x.Sum(0) }) })
}

func BenchmarkSoftmax(b *testing.B) {
	x := full(b, 0.5, rows, columns)
	measure(b, 8*x.Count(), 0, func() *nd.Array { return x.Softmax(-1) })
}

func BenchmarkLayerNorm(b *testing.B) {
	x, scale, bias := full(b, 0.5, rows, columns), full(b, 1, 1, columns).Reshape(columns), full(b, 0, 1, columns).Reshape(columns)
	measure(b, 8*x.Count(), 0, func() *nd.Array { return x.LayerNorm(scale, bias, -1, 1e-5) })
}

func BenchmarkMatMul(b *testing.B) {
	for _, c := range []struct {
		name  string
		dtype dtype.DType
		n     int
	}{{"4096", dtype.Float32, 4096}, {"8192", dtype.Float32, 8192}, {"bfloat16", dtype.BFloat16, 8192}} {
		b.Run(c.name, func(b *testing.B) {
			x, y := drawn(b, c.dtype, c.n, c.n), drawn(b, c.dtype, c.n, c.n)
			if testing.Short() {
				y = x.T().Copy()
			}
			measure(b, 0, 2*x.Count()*c.n, func() *nd.Array { return x.MatMul(y) })
		})
	}
}

// BenchmarkChain is a chain of small operators, bound by launches.
func BenchmarkChain(b *testing.B) {
	x := full(b, 0, 1024)
	one := full(b, 1, 1024)
	measure(b, 0, 0, func() *nd.Array {
		y := x.Copy()
		for range 1000 {
			nd.AddInto(y, y, one)
		}
		return y
	})
}

// BenchmarkToDevice copies 1 GiB of pinned memory to the GPU, and reports how near that comes to what the driver alone takes.
func BenchmarkToDevice(b *testing.B) {
	full(b, 0, 1)
	size := 1 << 28
	if testing.Short() {
		size = 1 << 10
	}
	x := nd.FullIn(nd.DefaultEnv().WithDevice(device.CPUPinned(0)), dtype.Float32, 1, size)
	wait(b, x)
	best := copyTime(b, 4*size, true)
	measure(b, 4*size, 0, func() *nd.Array { return arrival(b, x) })
	b.ReportMetric(best.Seconds()*float64(b.N)/b.Elapsed().Seconds(), "of-driver(bar:0.95)")
}
