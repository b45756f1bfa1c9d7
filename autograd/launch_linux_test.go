//go:build linux && amd64

package autograd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestKernelsOfAProgramTakeNoWatchedArrays(t *testing.T) {
	cudatest.Install(t)
	m, err := cuda.Compile(`extern "C" __global__ void copy(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }`, cuda.CompileOptions{})
	require.NoError(t, err)
	kernel, err := m.Kernel("copy", "const float *x, float *y")
	require.NoError(t, err)
	gpu := nd.DefaultEnv().WithDevice(device.GPU(0))
	x, y := nd.OnesIn(gpu, dtype.Float32, 4), nd.ZerosIn(gpu, dtype.Float32, 4)
	watched := autograd.NewTape().Watch(x)
	for argument, arrays := range map[string][]any{"0, x": {watched, y}, "1, y": {x, watched}} {
		mistaken := nd.Try(func() { nd.Launch(kernel, device.Over(4, 4), arrays...) })
		require.ErrorIs(t, mistaken, fault.ErrMisuse)
		require.ErrorContains(t, mistaken, "a tape watches argument "+argument)
	}
	nd.Launch(kernel, device.Over(4, 4), watched.Detach(), y)
	values, err := nd.Values[float32](y)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1, 1, 1}, values)
}
