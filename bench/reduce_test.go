package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/parallel"
)

// reductionLayout is an array and the axes that are reduced, none being all.
type reductionLayout struct {
	name  string
	shape []int
	axes  []int
}

var (
	reductionLayouts = []reductionLayout{
		{"all", []int{10_000_000}, nil}, {"rows", []int{1000, 10_000}, []int{1}}, {"columns", []int{10_000, 1000}, []int{0}},
		{"small1e3", []int{1000}, nil}, {"small1e5", []int{100_000}, nil},
		{"rowsof3", []int{160_000, 3}, []int{1}}, {"rowsof16", []int{400_000, 16}, []int{1}}, {"rowsof50", []int{100_000, 50}, []int{1}},
	}
	reductionOperators = []struct {
		name    string
		op      *ops.Operator
		params  func(axes []int) any
		scalars []float64
		element dtype.DType
		result  dtype.DType
	}{
		{"sum", ops.Sum, reduceParams, nil, dtype.Float32, dtype.Float32}, {"max", ops.Max, reduceParams, nil, dtype.Float32, dtype.Float32},
		{"argmax", ops.ArgMax, reduceParams, nil, dtype.Float32, dtype.Int64},
		{"var", ops.Var, spreadParams, []float64{0}, dtype.Float32, dtype.Float32},
		{"any", ops.AnyTrue, reduceParams, nil, dtype.Float32, dtype.Bool},
		{"sum_int32", ops.Sum, reduceParams, nil, dtype.Int32, dtype.Int64}, {"max_int32", ops.Max, reduceParams, nil, dtype.Int32, dtype.Int32},
		{"sum_bool", ops.Sum, reduceParams, nil, dtype.Bool, dtype.Int64}, {"count", ops.CountNonzero, reduceParams, nil, dtype.Float32, dtype.Int64},
	}
)

func reduceParams(axes []int) any { return ops.ReduceParams{Axes: axes} }

func spreadParams(axes []int) any { return ops.SpreadParams{Axes: axes} }

// BenchmarkReduce measures reductions of float32 numbers, or of the type that the operator names, as
// BenchmarkReduce/<operator>/<layout>: calls from end to end one
// after another, and with the suffix "/kernel" the kernel alone. BenchmarkReduce/read/<layout> is a program in C++ that reads
// as much memory with two threads (Debian package g++; skipped elsewhere).
func BenchmarkReduce(b *testing.B) {
	env := newEnv(b, "perdevice")
	pool := parallel.New(2)
	read := program{name: "read", source: "read.cpp", flags: []string{"-march=native", "-pthread"}}.measurer(b)
	for _, l := range reductionLayouts {
		count := 1
		for _, n := range l.shape {
			count *= n
		}
		from := make([]float32, count)
		for i := range from {
			from[i] = float32((i*7919)%10007) / 10007
		}
		x := nd.FromSliceIn(env, from, l.shape...)
		require.NoError(b, x.Wait(context.Background()))
		report := func(b *testing.B, element dtype.DType) {
			b.ReportMetric(float64(element.Size()*count)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
		}
		b.Run("read/"+l.name, func(b *testing.B) {
			nanoseconds := read(b, count)
			b.ReportMetric(4*float64(count)/nanoseconds, "GB/s")
		})
		for _, o := range reductionOperators {
			kernel, found := cpu.Lookup(device.KernelName(o.op.Name, o.element))
			require.True(b, found, o.name)
			tensor := (*ops.Tensor)(x.Cast(o.element))
			y := ops.Invoke(o.op, o.params(l.axes), tensor)
			require.NoError(b, y[0].Wait(context.Background()))
			b.Run(o.name+"/"+l.name, func(b *testing.B) {
				ahead := max(1, 1_000_000/count) // as many as take less than a millisecond
				for i := 1; b.Loop(); i++ {
					ops.InvokeInto(o.op, o.params(l.axes), y, tensor)
					if i%ahead == 0 {
						require.NoError(b, y[0].Wait(context.Background()))
					}
				}
				require.NoError(b, y[0].Wait(context.Background()))
				report(b, o.element)
			})
			b.Run(o.name+"/"+l.name+"/kernel", func(b *testing.B) {
				a := reductionArguments(l, from, o.element, o.result, o.scalars)
				thread := pool.Thread()
				for b.Loop() {
					if err := kernel(thread, a); err != nil {
						b.Fatal(err)
					}
				}
				report(b, o.element)
			})
		}
	}
}

// reductionArguments are those of a kernel, with the reduced axes behind the others. The bits of from are elements of the given type,
// of at most four bytes.
func reductionArguments(l reductionLayout, from []float32, element, result dtype.DType, scalars []float64) *device.Arguments {
	in := lineOf(from)
	in.DType = element
	outputs := 1
	if len(l.axes) > 0 {
		in.Shape, in.Strides = l.shape, []int{l.shape[1], 1}
		if l.axes[0] == 0 {
			in.Shape, in.Strides = []int{l.shape[1], l.shape[0]}, []int{1, l.shape[1]}
		}
		outputs = in.Shape[0]
	}
	out := lineOf(make([]float32, 2*outputs))
	out.DType, out.Shape, out.Strides = result, in.Shape[:len(in.Shape)-1], []int{1}[:len(in.Shape)-1]
	return &device.Arguments{Outputs: []device.View{out}, Inputs: []device.View{in}, Integers: []int64{1}, Scalars: scalars}
}

// BenchmarkReducePeers measures NumPy, PyTorch and gorgonia on the cases of BenchmarkReduce, as
// BenchmarkReducePeers/<operator>/<layout>/<library>.
func BenchmarkReducePeers(b *testing.B) {
	tensors := gorgonia.measurer(b)
	for _, l := range reductionLayouts {
		for _, o := range reductionOperators {
			b.Run(fmt.Sprintf("%s/%s/gorgonia", o.name, l.name), func(b *testing.B) { tensors(b, "reduce", o.name, l.name) })
			for _, library := range []pythonLibrary{numpy, torch} {
				b.Run(fmt.Sprintf("%s/%s/%s", o.name, l.name, library.name), func(b *testing.B) { library.measure(b, "reduce", o.name, l.name) })
			}
		}
	}
}
