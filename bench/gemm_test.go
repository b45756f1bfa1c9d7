package bench

import (
	"fmt"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	features "golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/storage"
)

// gemmCase is a product, or a batch of them, of matrices by rows, of which one may be turned: by columns.
type gemmCase struct {
	name    string
	dtype   dtype.DType
	batch   int
	m, n, k int
	turned  string // a, b or none
}

func gemmCases() (cases []gemmCase) {
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
		for _, n := range []int{32, 64, 128, 256, 512, 1024, 2048} {
			cases = append(cases, gemmCase{fmt.Sprintf("%v/%d", d, n), d, 1, n, n, n, "none"})
		}
	}
	cases = append(cases,
		gemmCase{"float32/gemv", dtype.Float32, 1, 1, 1024, 1024, "none"},
		gemmCase{"float32/gemv turned", dtype.Float32, 1, 1, 1024, 1024, "b"},
		gemmCase{"float64/gemv", dtype.Float64, 1, 1, 1024, 1024, "none"},
		gemmCase{"float64/gemv turned", dtype.Float64, 1, 1, 1024, 1024, "b"},
		gemmCase{"float32/k16", dtype.Float32, 1, 1024, 1024, 16, "none"},
		gemmCase{"float32/32x1024x1024", dtype.Float32, 1, 32, 1024, 1024, "none"},
		gemmCase{"float32/8x4000x4000", dtype.Float32, 1, 8, 4000, 4000, "none"},
		gemmCase{"float32/14x4096x4096", dtype.Float32, 1, 14, 4096, 4096, "none"},
		gemmCase{"float32/32x4000x4000", dtype.Float32, 1, 32, 4000, 4000, "none"},
		gemmCase{"float32/32x4096x4096", dtype.Float32, 1, 32, 4096, 4096, "none"},
		gemmCase{"float32/2x4096x4096 turned", dtype.Float32, 1, 2, 4096, 4096, "b"},
		gemmCase{"float32/12x4000x4000 turned", dtype.Float32, 1, 12, 4000, 4000, "b"},
		gemmCase{"float32/32x4096x4096 turned", dtype.Float32, 1, 32, 4096, 4096, "b"},
		gemmCase{"float32/6000x2000x100", dtype.Float32, 1, 6000, 100, 2000, "none"},
		gemmCase{"float32/1024x512x128 turned", dtype.Float32, 1, 1024, 128, 512, "a"},
		gemmCase{"float32/inner", dtype.Float32, 1, 16, 16, 100_000, "none"})
	for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Int8, dtype.Int32, dtype.Int64} {
		for _, n := range []int{64, 1024} {
			cases = append(cases, gemmCase{fmt.Sprintf("%v/%d", d, n), d, 1, n, n, n, "none"})
		}
	}
	for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Int8} {
		cases = append(cases,
			gemmCase{fmt.Sprintf("%v/32x4096x4096", d), d, 1, 32, 4096, 4096, "none"},
			gemmCase{fmt.Sprintf("%v/32x4096x4096 turned", d), d, 1, 32, 4096, 4096, "b"})
	}
	return cases
}

// gemmSmallCases are the products of a multilayer perceptron on 64 images, m×k×n, with those of its gradients, of which one
// operand is turned, and single and many small products.
func gemmSmallCases() (cases []gemmCase) {
	for _, c := range []struct{ m, k, n int }{{64, 784, 128}, {64, 128, 64}} {
		name := fmt.Sprintf("%dx%dx%d", c.m, c.k, c.n)
		cases = append(cases,
			gemmCase{name + "/forward", dtype.Float32, 1, c.m, c.n, c.k, "none"},
			gemmCase{name + "/data", dtype.Float32, 1, c.m, c.k, c.n, "b"},
			gemmCase{name + "/weights", dtype.Float32, 1, c.k, c.n, c.m, "a"})
	}
	for _, n := range []int{4, 7, 8, 13, 16, 24, 32, 48, 64} {
		cases = append(cases, gemmCase{fmt.Sprint(n), dtype.Float32, 1, n, n, n, "none"})
	}
	for _, n := range []int{4, 8, 16, 32} {
		cases = append(cases, gemmCase{fmt.Sprintf("64 times %d", n), dtype.Float32, 64, n, n, n, "none"})
	}
	return cases
}

// BenchmarkGemm measures products, as BenchmarkGemm/<dtype>/<size>, and what they cannot exceed: multiply-adds alone on all
// threads. The metric of-limit compares a product with that right after it.
func BenchmarkGemm(b *testing.B) {
	b.Run("limit/float32", limitOf[float32])
	b.Run("limit/float64", limitOf[float64])
	for _, c := range gemmCases() {
		b.Run(c.name, c.run)
	}
}

// BenchmarkGemmSmall measures the products of a multilayer perceptron, and little ones.
func BenchmarkGemmSmall(b *testing.B) {
	b.Run("limit/float32", limitOf[float32])
	for _, c := range gemmSmallCases() {
		b.Run(c.name, c.run)
	}
}

// BenchmarkGemmNeighbour is a large product beside a goroutine that never rests: in a thread of its own if locked, and with alone
// the product on one thread without it. The metric of-bar is its rate over 0.8 of that of the other processors when they are free, and all
// that the neighbour leaves of its own.
func BenchmarkGemmNeighbour(b *testing.B) {
	c := gemmCase{"", dtype.Float32, 1, 1024, 1024, 1024, "none"}
	one := parallel.Default().Thread()
	require.NoError(b, one.SetNumThreads(1))
	b.Run("alone", func(b *testing.B) { runGemm[float32](b, one, c) })
	for _, locked := range []bool{false, true} {
		b.Run(map[bool]string{false: "goroutine", true: "locked"}[locked], func(b *testing.B) {
			p, temporary := prepare[float32](b, c)
			free := c.operations() * perSecond(func() { p.Run(one, temporary) })
			unhindered := perSecond(spin)
			stop, rounds := make(chan struct{}), make(chan float64)
			go func() {
				if locked {
					runtime.LockOSThread()
				}
				for start, count := time.Now(), 0; ; count++ {
					select {
					case <-stop:
						rounds <- float64(count) / time.Since(start).Seconds()
						return
					default:
						spin()
					}
				}
			}()
			c.run(b)
			close(stop)
			left := max(0, 1-<-rounds/unhindered)
			others := float64(parallel.Default().Thread().NumThreads() - 1)
			b.ReportMetric(c.operations()*float64(b.N)/b.Elapsed().Seconds()/((0.8*others+left)*free), "of-bar")
		})
	}
}

// spin is what the neighbour does again and again, for a few microseconds.
func spin() { gemm.MultiplyAdds[float32](10_000) }

// perSecond returns how often f can be called, of a tenth of a second.
func perSecond(f func()) float64 {
	f()
	start, count := time.Now(), 0
	for time.Since(start) < 100*time.Millisecond {
		f()
		count++
	}
	return float64(count) / time.Since(start).Seconds()
}

// gemmLibraries are PyTorch and OpenBLAS with the kernels of each kind of processors that it has some for, of which the best one is the
// peer. Those with AVX-512 are there on processors that have it: OpenBLAS uses what it is told to, and others stop at the first such
// instruction.
var gemmLibraries = func() []pythonLibrary {
	libraries := []pythonLibrary{
		torch,
		{name: "openblas-haswell", environment: "OPENBLAS_CORETYPE=Haswell"},
		{name: "openblas-zen", environment: "OPENBLAS_CORETYPE=Zen"},
	}
	if features.X86.HasAVX512F && features.X86.HasAVX512BW && features.X86.HasAVX512VL {
		libraries = append(libraries, pythonLibrary{name: "openblas-skylakex", environment: "OPENBLAS_CORETYPE=SkylakeX"})
	}
	if features.X86.HasAVX512BF16 {
		libraries = append(libraries, pythonLibrary{name: "openblas-sapphirerapids", environment: "OPENBLAS_CORETYPE=SapphireRapids"})
	}
	return libraries
}()

// BenchmarkGemmPeers measures PyTorch and OpenBLAS on the cases of BenchmarkGemm, and gonum on some.
func BenchmarkGemmPeers(b *testing.B) {
	var native gonum.Implementation
	for _, n := range []int{64, 256, 1024} {
		b.Run(fmt.Sprintf("float32/%d/gonum", n), func(b *testing.B) {
			x, y, z := fraction[float32](n*n), fraction[float32](n*n), fraction[float32](n*n)
			for b.Loop() {
				native.Sgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n)
			}
			report(b, 2*n*n*n)
		})
		b.Run(fmt.Sprintf("float64/%d/gonum", n), func(b *testing.B) {
			x, y, z := fraction[float64](n*n), fraction[float64](n*n), fraction[float64](n*n)
			for b.Loop() {
				native.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n)
			}
			report(b, 2*n*n*n)
		})
	}
	measureGemmPeers(b, gemmCases())
}

// BenchmarkGemmSmallPeers measures PyTorch and OpenBLAS on the cases of BenchmarkGemmSmall.
func BenchmarkGemmSmallPeers(b *testing.B) { measureGemmPeers(b, gemmSmallCases()) }

func measureGemmPeers(b *testing.B, cases []gemmCase) {
	for _, c := range cases {
		for _, library := range gemmLibraries {
			b.Run(c.name+"/"+library.name, func(b *testing.B) {
				nanoseconds := library.measure(b, "gemm", c.dtype, c.batch, c.m, c.n, c.k, c.turned)
				b.ReportMetric(c.operations()/nanoseconds, "GFLOPS")
			})
		}
	}
}

func limitOf[T gemm.Float](b *testing.B) {
	t, operations := parallel.Default().Thread(), 0
	for b.Loop() {
		operations = multiplyAdds[T](t)
	}
	report(b, operations)
}

// multiplyAdds takes a fifth of a millisecond on all threads of t, and returns the number of its operations.
func multiplyAdds[T gemm.Float](t *parallel.Thread) (operations int) {
	const rounds = 100_000
	t.For(t.NumThreads(), func(*parallel.Thread, int, int) { gemm.MultiplyAdds[T](rounds) })
	return gemm.MultiplyAdds[T](1) * rounds * t.NumThreads()
}

// reportOfLimit tells the rate of products over that of multiply-adds alone in the two milliseconds after them, while the processor
// still has the clock that it has for products.
func reportOfLimit[T gemm.Float](b *testing.B, t *parallel.Thread, operations float64) {
	rate := operations * float64(b.N) / b.Elapsed().Seconds()
	start, count := time.Now(), 0
	for range 10 {
		count += multiplyAdds[T](t)
	}
	b.ReportMetric(rate*time.Since(start).Seconds()/float64(count), "of-limit")
}

func (c gemmCase) operations() float64 {
	return 2 * float64(c.batch) * float64(c.m) * float64(c.n) * float64(c.k)
}

func (c gemmCase) run(b *testing.B) {
	switch c.dtype {
	case dtype.Float32:
		runGemm[float32](b, parallel.Default().Thread(), c)
	case dtype.Float64:
		runGemm[float64](b, parallel.Default().Thread(), c)
	default:
		c.runKernel(b)
	}
}

func runGemm[T gemm.Float](b *testing.B, t *parallel.Thread, c gemmCase) {
	p, temporary := prepare[T](b, c)
	b.ReportAllocs()
	p.Run(t, temporary) // Not counted, as for peers: it is the first to touch the temporary memory.
	for b.Loop() {
		p.Run(t, temporary)
	}
	reportOfLimit[T](b, t, c.operations())
	report(b, int(c.operations()))
}

// prepare returns the product with what it is run with, all in memory like that of arrays.
func prepare[T gemm.Float](b *testing.B, c gemmCase) (p *gemm.Product[T], temporary unsafe.Pointer) {
	matrix := func(rows, columns int, turned bool) gemm.Matrix {
		values := unsafe.Slice((*T)(hostMemory(b, c.batch*rows*columns*int(unsafe.Sizeof(p.Alpha)))), c.batch*rows*columns)
		fillFractions(values)
		if turned {
			return gemm.Matrix{Start: unsafe.Pointer(&values[0]), RowStride: 1, ColumnStride: rows}
		}
		return gemm.Matrix{Start: unsafe.Pointer(&values[0]), RowStride: columns, ColumnStride: 1}
	}
	p = &gemm.Product[T]{
		M: c.m, N: c.n, K: c.k, Alpha: 1, A: matrix(c.m, c.k, c.turned == "a"), B: matrix(c.k, c.n, c.turned == "b"), C: matrix(c.m, c.n, false),
		Count: c.batch, Offsets: gemm.Strided(c.m*c.k, c.k*c.n, c.m*c.n),
	}
	if bytes := p.Scratch(); bytes > 0 {
		temporary = hostMemory(b, bytes)
	}
	return p, temporary
}

// hostMemory returns zeros in memory like that of arrays, until b ends.
func hostMemory(b *testing.B, bytes int) unsafe.Pointer {
	manager, err := storage.ManagerOf(device.CPU(0))
	require.NoError(b, err)
	memory, err := manager.Allocate(bytes)
	require.NoError(b, err)
	b.Cleanup(func() { manager.Free(memory) })
	clear(memory.Pointer.Bytes(bytes))
	return memory.Pointer.Host
}

// runKernel measures the kernel of matmul, which casts narrow elements.
func (c gemmCase) runKernel(b *testing.B) {
	matrix := func(rows, columns int, d dtype.DType, turned bool) device.View {
		strides := []int{columns, 1}
		if turned {
			strides = []int{1, rows}
		}
		memory := device.Pointer{Host: hostMemory(b, rows*columns*d.Size())}
		bytes := memory.Bytes(rows * columns * d.Size())
		for i := range bytes {
			bytes[i] = 0x3c // which makes a normal number of any dtype
		}
		return device.View{Pointer: memory, DType: d, Shape: []int{rows, columns}, Strides: strides}
	}
	result := c.dtype
	if result == dtype.Int8 {
		result = dtype.Int32
	}
	x, y, z := matrix(c.m, c.k, c.dtype, c.turned == "a"), matrix(c.k, c.n, c.dtype, c.turned == "b"), matrix(c.m, c.n, result, false)
	a := &device.Arguments{Inputs: []device.View{x, y}, Outputs: []device.View{z}}
	if bytes := cpu.MatMulScratch(z, x, y); bytes > 0 {
		a.Scratch = device.Pointer{Host: hostMemory(b, bytes)}
	}
	kernel, _ := cpu.Lookup(device.KernelName("matmul", c.dtype))
	t := parallel.Default().Thread()
	require.NoError(b, kernel(t, a)) // Not counted, as for peers.
	for b.Loop() {
		if err := kernel(t, a); err != nil {
			b.Fatal(err)
		}
	}
	report(b, int(c.operations()))
}

func fraction[T gemm.Float](count int) []T {
	values := make([]T, count)
	fillFractions(values)
	return values
}

func fillFractions[T gemm.Float](values []T) {
	for i := range values {
		values[i] = T(i%17)/16 - 0.5
	}
}

// report tells the rate of b, which made so many floating-point operations in every round.
func report(b *testing.B, operations int) {
	b.ReportMetric(float64(operations)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
}
