package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/parallel"
)

// chosen is how many elements topk chooses.
const chosen = 100

var (
	sortOperators = []string{"sort", "argsort", "topk"}
	sortTypes     = []dtype.DType{dtype.Float32, dtype.Float64, dtype.Int32, dtype.Int64}
	sortCounts    = []int{1_000, 10_000, 1_000_000}
	sortOrders    = []string{"random", "sorted", "equal"}
)

// eachSort calls body for all cases; "/sorted" and "/equal" of the largest follow the name of its random elements.
func eachSort(body func(operator string, d dtype.DType, count int, order, name string)) {
	for _, operator := range sortOperators {
		for _, d := range sortTypes {
			for _, count := range sortCounts {
				for _, order := range sortOrders {
					name := fmt.Sprintf("%s/%v/%d", operator, d, count)
					switch {
					case order == "random":
						body(operator, d, count, order, name)
					case count == 1_000_000:
						body(operator, d, count, order, name+"/"+order)
					}
				}
			}
		}
	}
}

// BenchmarkSort measures sorting along one axis, as BenchmarkSort/<operator>/<dtype>/<count>: calls from end to end, each
// waited for, and with the suffix "/kernel" the kernel alone.
func BenchmarkSort(b *testing.B) {
	eachSort(func(operator string, d dtype.DType, count int, order, name string) {
		switch d {
		case dtype.Float32:
			benchmarkSort[float32](b, operator, count, order, name)
		case dtype.Float64:
			benchmarkSort[float64](b, operator, count, order, name)
		case dtype.Int32:
			benchmarkSort[int32](b, operator, count, order, name)
		default:
			benchmarkSort[int64](b, operator, count, order, name)
		}
	})
}

func benchmarkSort[T dtype.Real](b *testing.B, operator string, count int, order, name string) {
	elements := unsorted[T](count, order)
	report := func(b *testing.B) {
		b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
	}
	b.Run(name, func(b *testing.B) {
		env, ctx := newEnv(b, "perdevice"), context.Background()
		x, y := nd.FromSliceIn(env, elements, count), nd.ZerosIn(env, dtype.Of[T](), count)
		require.NoError(b, y.Wait(ctx))
		for b.Loop() {
			result := y
			switch operator {
			case "sort":
				nd.SortInto(y, x, 0)
			case "argsort":
				result = x.ArgSort(0)
			default:
				result, _ = x.TopK(chosen, 0)
			}
			if err := result.Wait(ctx); err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})
	b.Run(name+"/kernel", func(b *testing.B) {
		kernel := map[string]string{"sort": "sort", "argsort": "argsort", "topk": "argtopk"}[operator]
		compute, found := cpu.Lookup(device.KernelName(kernel, dtype.Of[T]()))
		require.True(b, found, kernel)
		input := viewOf(elements)
		output, scratch := viewOf(make([]T, count)), cpu.SortScratch(count, input.DType.Size(), true)
		if operator != "sort" {
			wanted := map[string]int{"argsort": count, "topk": chosen}[operator]
			output, scratch = viewOf(make([]int64, wanted)), cpu.ArgsortScratch(1, count, input.DType.Size(), wanted, true, true)
		}
		a := &device.Arguments{Outputs: []device.View{output}, Inputs: []device.View{input}, Integers: []int64{0}}
		if scratch > 0 {
			a.Scratch.Host = unsafe.Pointer(unsafe.SliceData(make([]uint64, scratch/8)))
		}
		thread := parallel.Default().Thread()
		for b.Loop() {
			if err := compute(thread, a); err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})
}

// unsorted makes elements in the given order.
func unsorted[T dtype.Real](count int, order string) []T {
	r := rand.New(rand.NewPCG(1, 2))
	elements := make([]T, count)
	for i := range elements {
		switch {
		case order == "equal":
			elements[i] = 7
		case dtype.Of[T]().IsFloat():
			elements[i] = T(1000 * r.NormFloat64())
		default:
			elements[i] = T(r.Uint64())
		}
	}
	if order == "sorted" {
		slices.Sort(elements)
	}
	return elements
}

// viewOf is the view of all of x.
func viewOf[T dtype.Element](x []T) device.View {
	return device.View{Pointer: device.Pointer{Host: unsafe.Pointer(&x[0])}, DType: dtype.Of[T](), Shape: []int{len(x)}, Strides: []int{1}}
}

// BenchmarkSortPeers measures NumPy, PyTorch and, for sort, Highway's vqsort (Debian package libhwy-dev) on the cases of
// BenchmarkSort, as BenchmarkSortPeers/<operator>/<dtype>/<count>/<library>.
func BenchmarkSortPeers(b *testing.B) {
	vqsort := program{name: "vqsort", source: "vqsort.cpp", library: "libhwy-contrib"}.measurer(b)
	eachSort(func(operator string, d dtype.DType, count int, order, name string) {
		report := func(b *testing.B, nanoseconds float64) { b.ReportMetric(float64(count)/nanoseconds*1e3, "M/s") }
		for _, library := range []pythonLibrary{numpy, torch} {
			b.Run(name+"/"+library.name, func(b *testing.B) {
				report(b, library.measure(b, "sort", operator, d, count, order))
			})
		}
		if operator != "sort" {
			return
		}
		b.Run(name+"/vqsort", func(b *testing.B) { report(b, vqsort(b, d, count, order)) })
	})
}
