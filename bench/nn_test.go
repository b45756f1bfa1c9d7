package bench

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/random"
)

// networkCase is one operator of a network: the shapes of its operands, and how many of them its gradient looks at beside the
// upstream gradient, which has the shape of the first result.
type networkCase struct {
	name     string
	shapes   [][]int
	forward  *ops.Operator
	params   any
	backward *ops.Operator
	slope    any // the parameters of backward
	saves    func(operands, results []*ops.Tensor) []*ops.Tensor
}

var (
	image        = []int{32, 64, 56, 56}
	networkCases = []networkCase{
		softmaxCase("softmax", ops.Softmax, ops.SoftmaxGradient, 1024, 1024), softmaxCase("softmax", ops.Softmax, ops.SoftmaxGradient, 64, 10), alongColumns(softmaxCase("softmax", ops.Softmax, ops.SoftmaxGradient, 1024, 1024)),
		softmaxCase("log_softmax", ops.LogSoftmax, ops.LogSoftmaxGradient, 1024, 1024), softmaxCase("log_softmax", ops.LogSoftmax, ops.LogSoftmaxGradient, 64, 10),
		{
			"layer_norm", [][]int{{1024, 768}, {768}, {768}}, ops.LayerNorm, ops.LayerNormParams{Axis: -1, Epsilon: 1e-5},
			ops.LayerNormGradient, ops.LayerNormParams{Axis: -1, Epsilon: 1e-5}, func(in, _ []*ops.Tensor) []*ops.Tensor { return in[:2] },
		},
		{
			"batch_norm", [][]int{image, {64}, {64}}, ops.BatchNorm, ops.BatchNormParams{Epsilon: 1e-5},
			ops.BatchNormGradient, ops.BatchNormParams{Epsilon: 1e-5}, func(in, _ []*ops.Tensor) []*ops.Tensor { return in[:2] },
		},
		{
			"max_pool", [][]int{image}, ops.MaxPool, ops.PoolParams{Kernel: []int{2, 2}},
			ops.MaxPoolGradient, ops.PlaneParams{Shape: image}, nil,
		},
	}
)

func softmaxCase(name string, forward, backward *ops.Operator, shape ...int) networkCase {
	p := ops.SoftmaxParams{Axis: -1}
	return networkCase{name + "/" + strconv.Itoa(shape[0]) + "x" + strconv.Itoa(shape[1]), [][]int{shape}, forward, p, backward, p,
		func(_, y []*ops.Tensor) []*ops.Tensor { return y }}
}

// alongColumns is a case of softmaxCase along the first axis.
func alongColumns(c networkCase) networkCase {
	p := ops.SoftmaxParams{Axis: 0}
	c.name, c.params, c.slope = c.name+"/columns", p, p
	return c
}

// streamCase only moves memory, forward as much as backward.
func streamCase(shape ...int) networkCase {
	copying := ops.Positive
	return networkCase{"stream/" + strconv.Itoa(shape[0]) + "x" + strconv.Itoa(shape[1]), [][]int{shape}, copying, nil, copying, nil, func(x, _ []*ops.Tensor) []*ops.Tensor { return nil }}
}

// bytesOf is the size of all elements.
func bytesOf(tensors ...[]*ops.Tensor) (bytes float64) {
	for _, x := range slices.Concat(tensors...) {
		bytes += float64((*nd.Array)(x).Count() * x.DType().Size())
	}
	return bytes
}

// BenchmarkNN measures operators of networks on float32 numbers, end to end one call after another into arrays that are there, as
// BenchmarkNN/<operator>/<direction>. The operator stream copies, which tells the bandwidth of memory.
func BenchmarkNN(b *testing.B) {
	env := newEnv(b, "perdevice").WithSeed(1)
	normal := func(shape []int) *ops.Tensor { return (*ops.Tensor)(random.Normal(env, dtype.Float32, 0, 1, shape...)) }
	for _, c := range append(slices.Clone(networkCases), streamCase(1024, 1024), streamCase(image...)) {
		operands := []*ops.Tensor{}
		for _, shape := range c.shapes {
			operands = append(operands, normal(shape))
		}
		results := ops.Invoke(c.forward, c.params, operands...)
		upstream := normal(results[0].Shape())
		inputs := []*ops.Tensor{upstream, results[len(results)-1]}
		if c.saves != nil {
			inputs = append(slices.Clone(c.saves(operands, results)), upstream)
		}
		gradients := ops.Invoke(c.backward, c.slope, inputs...)
		for _, direction := range []struct {
			name     string
			op       *ops.Operator
			params   any
			into, in []*ops.Tensor
		}{{"forward", c.forward, c.params, results, operands}, {"backward", c.backward, c.slope, gradients, inputs}} {
			b.Run(c.name+"/"+direction.name, func(b *testing.B) {
				wait := func() {
					for _, x := range direction.into {
						require.NoError(b, x.Wait(context.Background()))
					}
				}
				wait()
				b.ResetTimer()
				for range b.N { // not b.Loop, which stops the clock before the last results are there
					ops.InvokeInto(direction.op, direction.params, direction.into, direction.in...)
				}
				wait()
				b.ReportMetric(float64((*nd.Array)(operands[0]).Count())*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
				b.ReportMetric(bytesOf(direction.in, direction.into)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
			})
		}
	}
}

// keptTorch is PyTorch with an allocator that keeps the pages of what is freed, as ours does.
var keptTorch = pythonLibrary{name: "torch", environment: "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=4294967295:glibc.malloc.trim_threshold=4294967295"}

// BenchmarkNNPeers measures PyTorch on the cases of BenchmarkNN, as BenchmarkNNPeers/<operator>/<direction>/torch: its kernels
// without a graph, those that write to memory that is there or those that allocate, whichever are faster.
func BenchmarkNNPeers(b *testing.B) {
	for _, c := range networkCases {
		for _, direction := range []string{"forward", "backward"} {
			b.Run(fmt.Sprintf("%s/%s/torch", c.name, direction), func(b *testing.B) {
				keptTorch.measure(b, "nn", c.name, direction)
			})
		}
	}
}
