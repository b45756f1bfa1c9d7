package nvrtc_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	_ "github.com/weft-nd/weft/kernels/cuda/gorgonia/nvrtc"
	nd "github.com/weft-nd/weft/ndarray"
)

const axpy = `
template <class T> __global__ void axpy(const T *x, T *y, float alpha) { y[threadIdx.x] += alpha * x[threadIdx.x]; }
`

func TestProgramsCompileKernelsWithTheLibraryThatTheyAreLinkedWith(t *testing.T) {
	fake := cudatest.Linked(t)
	gpu := nd.DefaultEnv().WithDevice(device.GPU(0))
	m, err := cuda.Compile(axpy, cuda.CompileOptions{Names: []string{"axpy<float>"}})
	require.NoError(t, err)
	k, err := m.Kernel("axpy<float>", "const float *x, float *y, float alpha")
	require.NoError(t, err)
	x, y := nd.OnesIn(gpu, dtype.Float32, 4), nd.OnesIn(gpu, dtype.Float32, 4)
	nd.Launch(k, device.Grid{Threads: [3]int{4}, Shared: 100 << 10}, x, y, 2)
	require.NoError(t, y.Wait(context.Background()))
	got, err := nd.At[float32](y, 3)
	require.NoError(t, err)
	require.Equal(t, float32(3), got)
	_, err = cuda.Compile("__global__ void wrong(float *x) { x = y; }", cuda.CompileOptions{})
	require.ErrorIs(t, err, fault.ErrParameter)
	require.ErrorContains(t, err, "kernel.cu")
	_, err = cuda.Compile(axpy, cuda.CompileOptions{Flags: []string{"--no-such-option"}})
	require.ErrorContains(t, err, "NVRTC_ERROR_INVALID_OPTION")
	fake.Set("computeCapability", 99)
	_, err = cuda.Compile(axpy, cuda.CompileOptions{Names: []string{"axpy<float>"}})
	require.NoError(t, err, "NVRTC makes PTX for devices that it does not know")
}
