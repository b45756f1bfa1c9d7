//go:build linux && amd64

package train_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

import _ "github.com/weft-nd/weft/kernels/cuda"

// guideToGPUs is what docs/gpu.md quotes.
func guideToGPUs() error {
	if err := device.Check(device.GPU(0)); err != nil {
		return err // tells what was looked for in vain
	}
	gpu := nd.DefaultEnv().WithDevice(device.GPU(0))
	x := nd.OnesIn(gpu, dtype.Float32, 100, 20) // on the GPU
	y := nd.FromSlice([]float32{3}).In(gpu)     // copied there when an operator needs it
	z := x.T().MatMul(x).Mul(y)                 // computed there; only what is read comes back
	root := z.Sum().To(device.CPU(0)).Sqrt()    // computed on the CPU
	fmt.Println(z.Index(0), root)

	if err := device.Check(device.GPU(1)); err == nil {
		fmt.Println(z.To(device.GPU(1)).Mean()) // copied from one GPU to the other
	}

	manager, err := storage.ManagerOf(device.GPU(0))
	if err != nil {
		return err
	}
	manager.SetLimit(8 << 30) // bytes; 0 is no limit
	manager.Trim()            // gives back to CUDA what is kept for the next arrays
	fmt.Println(ops.Fallbacks())

	const source = `
extern "C" __global__ void axpy(const float *x, float *y, float alpha, long long count) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] += alpha * x[i];
}`
	module, err := cuda.Compile(source, cuda.CompileOptions{Flags: []string{"--use_fast_math"}})
	if err != nil {
		return err // with the log of the compiler
	}
	axpy, err := module.Kernel("axpy", "const float *x, float *y, float alpha, long long count")
	if err != nil {
		return err
	}
	w := nd.ZerosIn(gpu, dtype.Float32, x.Shape()...)
	nd.Launch(axpy, device.Over(x.Count(), 256), x, w, 0.5, x.Count()) // returns at once, as operators do
	fmt.Println(w.Sum())
	return nil
}

func TestTheGuideToGPUsIsRun(t *testing.T) {
	if !*onReal {
		cudatest.Install(t)
	}
	before := ops.Fallbacks()
	require.NoError(t, guideToGPUs())
	require.Equal(t, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(ops.Fallbacks())))
	if *onReal { // where there are no sources
		return
	}
	guide, err := os.ReadFile("../docs/gpu.md")
	require.NoError(t, err)
	source, err := os.ReadFile("gpu_guide_test.go")
	require.NoError(t, err)
	quotes := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	require.NotEmpty(t, quotes)
	indent := regexp.MustCompile(`(?m)^\t`)
	for _, quote := range quotes {
		require.Contains(t, indent.ReplaceAllString(string(source), ""), quote[1])
	}
}
