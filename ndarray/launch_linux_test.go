//go:build linux && amd64

package ndarray_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	nd "github.com/weft-nd/weft/ndarray"
)

const kernelsOfATest = `
extern "C" __global__ void axpy(const float *x, float *y, float alpha, long long count) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] += alpha * x[i];
}
extern "C" __global__ void indices(int *to) {
  int i = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int j = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  to[i * blockDim.x * blockDim.y * blockDim.z + j] = 100 * i + j;
}
extern "C" __global__ void reversed(const double *x, double *y) {
  extern __shared__ double row[];
  __shared__ int last;
  if (threadIdx.x == 0) last = blockDim.x - 1;
  row[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * blockDim.x + threadIdx.x] = row[last - threadIdx.x];
}
extern "C" __global__ void numbers(bool b, signed char c, unsigned short s, unsigned int i, double d, double *to) {
  to[0] = b, to[1] = c, to[2] = s, to[3] = i, to[4] = d;
}
extern "C" __global__ void wild(float *x) { x[-40] = 1; }
template <class T, int n> __global__ void times(T *x) { x[threadIdx.x] *= n; }
`

// onGPU returns an Env of a fake gpu(0), and kernels that were compiled for it.
func onGPU(t *testing.T) (*cudatest.Fake, *nd.Env, *cuda.Module) {
	fake := cudatest.Install(t)
	t.Cleanup(func() { fake.Set("restart", 1) })
	m, err := cuda.Compile(kernelsOfATest, cuda.CompileOptions{Names: []string{"times<float, 3>"}})
	require.NoError(t, err)
	return fake, nd.DefaultEnv().WithDevice(device.GPU(0)), m
}

func kernelOf(t *testing.T, m *cuda.Module, name, parameters string) *cuda.UserKernel {
	k, err := m.Kernel(name, parameters)
	require.NoError(t, err)
	return k
}

func TestKernelsOfProgramsUpdateArraysOnTheGPU(t *testing.T) {
	_, gpu, m := onGPU(t)
	axpy := kernelOf(t, m, "axpy", "const float *x, float *__restrict__ y, float alpha, long long count")
	x, y := nd.Arange[float32](0, 1000, 1).To(gpu.Device()), nd.OnesIn(gpu, dtype.Float32, 10, 100)
	nd.Launch(axpy, device.Over(1000, 256), x, y, 3, 1000)
	nd.Launch(axpy, device.Over(1000, 256), y, y, 1.0, int64(1000)) // on itself
	for i, v := range values[float32](t, y) {
		require.Equal(t, 2*(1+3*float32(i)), v)
	}
	times := kernelOf(t, m, "times<float, 3>", "float *x")
	nd.Launch(times, device.Grid{Threads: [3]int{4}}, y)
	require.Equal(t, []float32{6, 24, 42, 60, 26}, values[float32](t, y.Reshape(1000))[:5])

	to := nd.ZerosIn(gpu, dtype.Int32, 36, 4)
	nd.Launch(kernelOf(t, m, "indices", "int *to"), device.Grid{Blocks: [3]int{4, 3, 3}, Threads: [3]int{2, 1, 2}}, to)
	for i, v := range values[int32](t, to) {
		require.EqualValues(t, i/4*100+i%4, v)
	}

	rows := nd.Arange[float64](0, 12, 1).Reshape(3, 4).To(gpu.Device())
	turned := nd.ZerosIn(gpu, dtype.Float64, 3, 4)
	nd.Launch(kernelOf(t, m, "reversed", "const double *x, double *y"), device.Grid{Blocks: [3]int{3}, Threads: [3]int{4}, Shared: 4 * 8}, rows, turned)
	require.Equal(t, []float64{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}, values[float64](t, turned))

	got := nd.ZerosIn(gpu, dtype.Float64, 5)
	numbers := kernelOf(t, m, "numbers", "bool b, signed char c, uint16_t s, unsigned i, double d, double *to")
	nd.Launch(numbers, device.Grid{}, true, -128, 65535, uint32(1<<32-1), 0.1, got)
	require.Equal(t, []float64{1, -128, 65535, 1<<32 - 1, 0.1}, values[float64](t, got))
}

func TestLaunchesFollowWhatTheirArraysWait(t *testing.T) {
	_, gpu, m := onGPU(t)
	axpy := kernelOf(t, m, "axpy", "const float *x, float *y, float alpha, long long count")
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(g)))
			x, y := nd.OnesIn(gpu, dtype.Float32, 64), nd.ZerosIn(gpu, dtype.Float32, 64)
			want, one := float32(0), float32(1)
			for range 20 {
				switch random.IntN(3) {
				case 0:
					nd.Launch(axpy, device.Over(64, 32), x, y, 2, 64)
					want += 2 * one
				case 1:
					nd.AddInto(x, x, nd.WeakIn(gpu, 1.0))
					one++
				default:
					y = y.Copy()
				}
			}
			if got, err := nd.At[float32](y, 63); err != nil || got != want {
				t.Errorf("%v, want %v: %v", got, want, err)
			}
		})
	}
	group.Wait()
}

func TestLaunchesOfOneKernelHaveTheSharedMemoryThatEachAsksFor(t *testing.T) {
	fake, gpu, m := onGPU(t)
	fake.Set("staticShared", 16<<10)
	axpy := kernelOf(t, m, "axpy", "const float *x, float *y, float alpha, long long count")
	x := nd.OnesIn(gpu, dtype.Float32, 8)
	var group sync.WaitGroup
	for _, shared := range []int{40 << 10, 100 << 10, 0, 64 << 10} {
		group.Go(func() {
			y := nd.ZerosIn(gpu, dtype.Float32, 8)
			grid := device.Over(8, 8)
			grid.Shared = shared
			for range 30 {
				nd.Launch(axpy, grid, x, y, 1, 8)
			}
			if got, err := nd.At[float32](y, 7); err != nil || got != 30 {
				t.Errorf("%d bytes: %v: %v", shared, got, err)
			}
		})
	}
	group.Wait()
}

func TestACaptureKeepsLaunches(t *testing.T) {
	fake, gpu, m := onGPU(t)
	axpy := kernelOf(t, m, "axpy", "const float *x, float *y, float alpha, long long count")
	x, y := nd.OnesIn(gpu, dtype.Float32, 8), nd.ZerosIn(gpu, dtype.Float32, 8)
	step := gpu.Capture(func(env *nd.Env) {
		nd.Launch(axpy, device.Over(8, 8), x, y.In(env), 2, 8)
		nd.MulInto(y, y.In(env), y.In(env))
	})
	defer step.Release()
	require.Equal(t, 2, step.Calls())
	want := float32(4)
	for i := range 5 {
		before := fake.Get("replays")
		step.Replay()
		want = (want + 2) * (want + 2)
		require.Equal(t, want, values[float32](t, y)[7])
		require.Equal(t, i >= 2, fake.Get("replays") == before+1, "replay %d", i)
	}
}

func TestMistakenLaunchesAreErrorsOfTheCall(t *testing.T) {
	_, gpu, m := onGPU(t)
	axpy := kernelOf(t, m, "axpy", "const float *x, float *y, float alpha, long long count")
	x, y := nd.OnesIn(gpu, dtype.Float32, 4), nd.OnesIn(gpu, dtype.Float32, 4, 2)
	one := device.Grid{}
	for name, c := range map[string]struct {
		grid      device.Grid
		arguments []any
		reason    error
		text      string
	}{
		"too few":         {one, []any{x, y, 1}, fault.ErrMisuse, "3 arguments given, the kernel takes 4"},
		"a number":        {one, []any{x, 3, 1, 4}, fault.ErrMisuse, "argument 1, y is a int, want an array of float32"},
		"an array":        {one, []any{x, y, x, 4}, fault.ErrMisuse, "argument 2, alpha is an array, want a number"},
		"a string":        {one, []any{x, y, "1", 4}, fault.ErrMisuse, "argument 2, alpha is a string, want a number that is a float32"},
		"no integer":      {one, []any{x, y, 1, 4.5}, fault.ErrParameter, "argument 3, count is 4.5, which is no int64"},
		"another type":    {one, []any{x, y.Cast(dtype.Float64), 1, 4}, fault.ErrDType, "argument 1, y is of float64, the kernel takes float32"},
		"another layout":  {one, []any{x, y.T(), 1, 4}, fault.ErrMisuse, "argument 1, y do not follow one another"},
		"repeated":        {one, []any{x, x.Index(nd.Span(0, 1)).BroadcastTo(4), 1, 4}, fault.ErrMisuse, "argument 1, y"},
		"another device":  {one, []any{x.To(device.GPU(1)), y, 1, 4}, fault.ErrDevice, "gpu(1)"},
		"on the CPU":      {one, []any{x.To(device.CPU(0)), y.To(device.CPU(0)), 1, 4}, fault.ErrDevice, "the kernel runs on devices of the kind gpu"},
		"nil":             {one, []any{x, (*nd.Array)(nil), 1, 4}, fault.ErrMisuse, "the array is nil"},
		"too many":        {device.Grid{Threads: [3]int{64, 32}}, []any{x, y, 1, 4}, fault.ErrParameter, "2048 together"},
		"deep block":      {device.Grid{Threads: [3]int{1, 1, 65}}, []any{x, y, 1, 4}, fault.ErrParameter, "a block has [1 1 65] threads"},
		"negative":        {device.Grid{Blocks: [3]int{-1}}, []any{x, y, 1, 4}, fault.ErrParameter, "the grid has [-1 0 0] blocks"},
		"no threads":      {device.Over(4, -1), []any{x, y, 1, 4}, fault.ErrParameter, "a block has [-1 0 0] threads"},
		"too much shared": {device.Grid{Shared: 1<<32 + 8}, []any{x, y, 1, 4}, fault.ErrParameter, "4294967304 bytes of shared memory"},
		"negative shared": {device.Grid{Shared: -1}, []any{x, y, 1, 4}, fault.ErrParameter, "-1 bytes of shared memory"},
	} {
		t.Run(name, func(t *testing.T) {
			err := mistake(t, func() { nd.Launch(axpy, c.grid, c.arguments...) })
			require.ErrorIs(t, err, c.reason)
			require.Contains(t, err.Error(), c.text)
			require.Contains(t, err.Error(), "axpy")
			require.Contains(t, err.Error(), "launch_linux_test.go")
		})
	}
	none, err := m.Kernel("nothing", "float *x")
	require.Error(t, err)
	for _, k := range []device.UserKernel{nil, none} {
		require.ErrorContains(t, mistake(t, func() { nd.Launch(k, one, x) }), "the kernel is nil")
	}
	require.Equal(t, []float32{1, 1, 1, 1}, values[float32](t, x), "nothing has run")
}

func TestLaunchesThatFailAreErrorsOfWhatTheyWrite(t *testing.T) {
	fake, gpu, m := onGPU(t)
	axpy := kernelOf(t, m, "axpy", "const float *x, float *y, float alpha, long long count")
	for _, c := range []struct {
		control string
		grid    device.Grid
		reason  error
		text    string
	}{
		{"launchFails", device.Over(4, 4), fault.ErrDevice, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
		{"", device.Grid{Shared: 1 << 20}, fault.ErrDevice, "CUDA_ERROR_INVALID_VALUE"},
	} {
		x, y := nd.OnesIn(gpu, dtype.Float32, 4), nd.OnesIn(gpu, dtype.Float32, 4)
		require.NoError(t, y.Wait(context.Background()))
		if c.control != "" {
			fake.Set(c.control, 1)
		}
		nd.Launch(axpy, c.grid, x, y, 1, 4)
		err := y.AddScalar(1).Wait(context.Background())
		require.ErrorIs(t, err, c.reason)
		require.ErrorContains(t, err, c.text)
		require.ErrorContains(t, err, "axpy")
		require.ErrorContains(t, err, "launch_linux_test.go")
		require.Equal(t, []float32{1, 1, 1, 1}, values[float32](t, x), "what it reads is as it was")
	}
	large := device.Grid{Blocks: [3]int{1}, Threads: [3]int{4}, Shared: 100 << 10}
	y := nd.OnesIn(gpu, dtype.Float32, 4)
	nd.Launch(axpy, large, y.Copy(), y, 1, 4)
	require.Equal(t, []float32{2, 2, 2, 2}, values[float32](t, y), "more shared memory than drivers give unasked")

	failed := nd.OnesIn(gpu, dtype.Float32, 4)
	fake.Set("launchFails", 1)
	nd.Launch(axpy, device.Over(4, 4), y, failed, 1, 4)
	nd.Launch(axpy, device.Over(4, 4), failed, y, 1, 4)
	require.ErrorContains(t, y.Wait(context.Background()), "axpy was not run")
}

func TestSourcesThatDoNotCompileAreErrorsWithTheLog(t *testing.T) {
	fake, _, m := onGPU(t)
	_, err := cuda.Compile("\nextern \"C\" __global__ void f(float *x) { *x = missing; }", cuda.CompileOptions{})
	require.ErrorIs(t, err, fault.ErrParameter)
	for _, part := range []string{"Compile", "NVRTC_ERROR_COMPILATION", "kernel.cu:2", "missing", "launch_linux_test.go"} {
		require.ErrorContains(t, err, part)
	}
	fake.Set("compileFails", 1)
	_, err = cuda.Compile(kernelsOfATest, cuda.CompileOptions{})
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	for _, c := range []struct{ name, parameters, text string }{
		{"nothing", "float *x", "the module has no such kernel"},
		{"times", "float *x", "the module has no such kernel"},
		{"axpy", "const float *x, float *y, double alpha, long long count", "the parameters have [8 8 8 8] bytes, those of the kernel [8 8 4 8]"},
		{"axpy", "const float *x, float *y", "[8 8]"},
		{"axpy", "const float *x, const float *y, float alpha, long long count", "it writes no array"},
		{"axpy", "const matrix *x, float *y, float alpha, long long count", `"const matrix *x" is no element type`},
		{"axpy", "const float **x, float *y, float alpha, long long count", `"const float **x" is no element type`},
		{"axpy", "const float *x, float *y, float2 alpha, long long count", "complex numbers are taken by arrays alone"},
		{"axpy", "", "it writes no array"},
	} {
		_, err := m.Kernel(c.name, c.parameters)
		require.ErrorIs(t, err, fault.ErrParameter)
		require.ErrorContains(t, err, c.text)
		require.ErrorContains(t, err, "launch_linux_test.go")
	}
}

func ExampleLaunch() {
	module, err := cuda.Compile(`extern "C" __global__ void scale(float *x, float factor, long long count) {
		long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
		if (i < count) x[i] *= factor;
	}`, cuda.CompileOptions{})
	if err != nil {
		fmt.Println("there is no GPU, or no NVRTC:", errors.Is(err, fault.ErrDevice))
		return
	}
	scale, err := module.Kernel("scale", "float *x, float factor, long long count")
	if err != nil {
		fmt.Println(err)
		return
	}
	x := nd.OnesIn(nd.DefaultEnv().WithDevice(device.GPU(0)), dtype.Float32, 1000)
	nd.Launch(scale, device.Over(x.Count(), 256), x, 0.5, x.Count())
	fmt.Println(x.Sum())
}
