package gpu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	nd "github.com/weft-nd/weft/ndarray"
)

// arrival returns an array that is there when all of x, in host memory, has been copied to the GPU: x counts as changed since the last copy,
// which would be used otherwise.
func arrival(b testing.TB, x *nd.Array) *nd.Array {
	b.Helper()
	if err := nd.Write(context.Background(), x, func([]float32) error { return nil }); err != nil {
		b.Fatal(err)
	}
	return x.To(device.GPU(0)).Index(nd.Span(0, 1)).Copy()
}

func TestEachArrivalIsACopyOfAllBytesAndOfNoMore(t *testing.T) {
	cudatest.Install(t)
	x := nd.FullIn(nd.DefaultEnv().WithDevice(device.CPUPinned(0)), dtype.Float32, 1, 1000)
	before, err := cuda.Default().Stats(0)
	require.NoError(t, err)
	for i := 1; i <= 4; i++ {
		require.NoError(t, arrival(t, x).Wait(context.Background()))
		stats, err := cuda.Default().Stats(0)
		require.NoError(t, err)
		require.Equal(t, before.HostToDevice.Copies+i, stats.HostToDevice.Copies)
		require.Equal(t, before.HostToDevice.Bytes+4000*i, stats.HostToDevice.Bytes)
		require.Equal(t, before.DeviceToHost, stats.DeviceToHost)
	}
}
