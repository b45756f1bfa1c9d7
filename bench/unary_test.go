package bench

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/parallel"
)

// unaryFunction is an element-wise function of float32 numbers.
type unaryFunction struct {
	name string
	into func(dst, x *nd.Array)
}

var (
	unaryFunctions = []unaryFunction{{"exp", nd.ExpInto}, {"log", nd.LogInto}, {"tanh", nd.TanhInto}, {"erf", nd.ErfInto}, {"sigmoid", nd.SigmoidInto}}
	unaryCounts    = []int{1_000, 100_000, 10_000_000}
)

// longCall is the number of elements from which a benchmark waits for each call, whose time is then far above that of the wait:
// else it would push thousands of calls before it looks at the clock.
const longCall = 1_000_000

// BenchmarkUnary measures element-wise functions of float32 numbers, as BenchmarkUnary/<function>/<count>: calls from end to
// end one after another, and with the suffix "/kernel" the kernel alone.
func BenchmarkUnary(b *testing.B) {
	env := newEnv(b, "perdevice")
	pool := parallel.New(2)
	for _, function := range append(slices.Clone(unaryFunctions), unaryFunction{"stream", nd.PositiveInto}) {
		kernel, found := cpu.Lookup(device.KernelName(strings.Replace(function.name, "stream", "positive", 1), dtype.Float32))
		require.True(b, found, function.name)
		for _, count := range unaryCounts {
			from, to := make([]float32, count), make([]float32, count)
			for i := range from {
				from[i], to[i] = 0.1+3*float32(i)/float32(count), 1 // so that the memory is there
			}
			x, y := nd.FromSliceIn(env, from, count), nd.ZerosIn(env, dtype.Float32, count)
			function.into(y, x)
			require.NoError(b, y.Wait(context.Background()))
			report := func(b *testing.B) {
				b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
				b.ReportMetric(8*float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
			}
			name := function.name + "/" + strconv.Itoa(count)
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					function.into(y, x)
					if count >= longCall {
						require.NoError(b, y.Wait(context.Background()))
					}
				}
				require.NoError(b, y.Wait(context.Background()))
				report(b)
			})
			b.Run(name+"/kernel", func(b *testing.B) {
				a := &device.Arguments{Outputs: []device.View{lineOf(to)}, Inputs: []device.View{lineOf(from)}}
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

// moreFunctions are functions that BenchmarkFunction measures, by the names that NumPy and PyTorch have for them.
var moreFunctions = []unaryFunction{
	{"exp2", nd.Exp2Into}, {"expm1", nd.Expm1Into}, {"log2", nd.Log2Into}, {"log10", nd.Log10Into}, {"log1p", nd.Log1pInto}, {"cbrt", nd.CbrtInto},
	{"sin", nd.SinInto}, {"cos", nd.CosInto}, {"tan", nd.TanInto}, {"arcsin", nd.AsinInto}, {"arccos", nd.AcosInto}, {"arctan", nd.AtanInto},
	{"sinh", nd.SinhInto}, {"cosh", nd.CoshInto}, {"arcsinh", nd.AsinhInto}, {"arccosh", nd.AcoshInto}, {"arctanh", nd.AtanhInto},
	{"gelu", nd.GeluInto}, {"silu", nd.SiluInto}, {"softplus", nd.SoftplusInto},
}

const functionCount = 1_000_000

// functionNumbers are the numbers that BenchmarkFunction computes with.
func functionNumbers[T dtype.Float]() []T {
	numbers := make([]T, functionCount)
	for i := range numbers {
		numbers[i] = T(0.1 + 3*float64(i)/functionCount)
	}
	return numbers
}

// BenchmarkFunction measures element-wise functions beside those of BenchmarkUnary, of a million float32 numbers between 0.1 and 3.1,
// some of which are out of the range of some, as BenchmarkFunction/<NumPy's name>; and all of float64, as BenchmarkFunction/float64/<NumPy's name>.
func BenchmarkFunction(b *testing.B) {
	env := newEnv(b, "perdevice")
	measure := func(prefix string, functions []unaryFunction, x *nd.Array) {
		for _, function := range functions {
			b.Run(prefix+function.name, func(b *testing.B) {
				y := nd.ZerosIn(env, x.DType(), functionCount)
				for b.Loop() {
					function.into(y, x)
					require.NoError(b, y.Wait(context.Background()))
				}
				b.ReportMetric(functionCount*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
			})
		}
	}
	measure("", moreFunctions, nd.FromSliceIn(env, functionNumbers[float32](), functionCount))
	measure("float64/", slices.Concat(unaryFunctions, moreFunctions), nd.FromSliceIn(env, functionNumbers[float64](), functionCount))
}

// BenchmarkFunctionPeers measures NumPy and PyTorch on the cases of BenchmarkFunction, as BenchmarkFunctionPeers/<function>/<library> and
// BenchmarkFunctionPeers/float64/<function>/<library>.
func BenchmarkFunctionPeers(b *testing.B) {
	measure := func(prefix string, functions []unaryFunction, arguments ...any) {
		for _, function := range functions {
			for _, library := range []pythonLibrary{numpy, torch} {
				b.Run(prefix+function.name+"/"+library.name, func(b *testing.B) {
					all := append([]any{function.name, functionCount}, arguments...)
					b.ReportMetric(functionCount/library.measure(b, "unary", all...)*1e3, "M/s")
				})
			}
		}
	}
	measure("", moreFunctions)
	measure("float64/", slices.Concat(unaryFunctions, moreFunctions), "float64")
}

// lineOf is the view of all of x.
func lineOf(x []float32) device.View {
	return device.View{Pointer: device.Pointer{Host: unsafe.Pointer(&x[0])}, DType: dtype.Float32, Shape: []int{len(x)}, Strides: []int{1}}
}

// BenchmarkUnaryPeers measures NumPy, PyTorch, gorgonia and SLEEF (Debian package libsleef-dev) on the cases of BenchmarkUnary, as
// BenchmarkUnaryPeers/<function>/<count>/<library>.
func BenchmarkUnaryPeers(b *testing.B) {
	sleef := program{name: "sleef", source: "sleef.cpp", library: "sleef", flags: []string{"-march=native", "-fopenmp"}}.measurer(b)
	tensors := gorgonia.measurer(b)
	for _, function := range unaryFunctions {
		for _, count := range unaryCounts {
			b.Run(fmt.Sprintf("%s/%d/gorgonia", function.name, count), func(b *testing.B) {
				b.ReportMetric(float64(count)/tensors(b, "unary", function.name, count)*1e3, "M/s")
			})
			if function.name != "sigmoid" { // which SLEEF does not have
				b.Run(fmt.Sprintf("%s/%d/sleef", function.name, count), func(b *testing.B) {
					b.ReportMetric(float64(count)/sleef(b, function.name, count)*1e3, "M/s")
				})
			}
			for _, library := range []pythonLibrary{numpy, torch} {
				b.Run(fmt.Sprintf("%s/%d/%s", function.name, count, library.name), func(b *testing.B) {
					b.ReportMetric(float64(count)/library.measure(b, "unary", function.name, count)*1e3, "M/s")
				})
			}
		}
	}
}
