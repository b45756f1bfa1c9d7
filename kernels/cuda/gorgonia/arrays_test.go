package gorgonia

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// The package is imported, and so arrays on gpu(0) are on its driver.
func TestArraysOfAGPUAreOnTheDriver(t *testing.T) {
	fake := cudatest.Linked(t)
	values := func(a *nd.Array) []float32 {
		elements, err := nd.Values[float32](a)
		require.NoError(t, err)
		return elements
	}
	gradients := func(d device.Device) (loss, of []float32) {
		x := nd.FromSlice([]float32{1, -2, 3, 0.5, 5, -6}, 2, 3).To(d)
		w := nd.FromSlice([]float32{0.1, 0.2, -0.3, 0.4, 0.5, -0.6}, 3, 2).To(d)
		tape := autograd.NewTape()
		w = tape.Watch(w)
		y := x.MatMul(w).Softmax(-1).Log().Sum()
		return values(y), values(tape.Gradient(y, w)[0])
	}
	before := fake.Get("products")
	wantLoss, want := gradients(device.CPU(0))
	loss, got := gradients(device.GPU(0))
	require.InDeltaSlice(t, wantLoss, loss, 1e-5)
	require.InDeltaSlice(t, want, got, 1e-5)
	require.Equal(t, before+2, fake.Get("products"))
	require.Empty(t, ops.Fallbacks())
	var report strings.Builder
	require.NoError(t, cuda.Report(&report))
	require.Contains(t, report.String(), "linked by gorgonia.org/cu/blas")
	require.Contains(t, report.String(), "gpu(1)   Fake GPU")
	require.Panics(t, func() { cuda.Bind(Open) }, "a gpu was asked for")
}

func TestADriverThatIsTooOldIsAnErrorOfTheGPUs(t *testing.T) {
	fake := cudatest.Linked(t)
	fake.Set("version", 11020)
	_, err := cuda.NewOn(Open).Count()
	require.ErrorContains(t, err, "it supports CUDA 11.2, and 11.4 is needed")
}
