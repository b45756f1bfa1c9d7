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

func TestEachArrivalIsACopyOfAllBytesAndOfNoMore(t *testing.T) {
	cudatest.Install(t)
	x := nd.FullIn(nd.DefaultEnv().WithDevice(device.CPUPinned(0)), dtype.Float32, 1, 1000)
	for i := range 4 {
		require.NoError(t, arrival(t, x).Wait(context.Background()))
		stats, err := cuda.Default().Stats(0)
		require.NoError(t, err)
		require.Equal(t, device.Traffic{Copies: i + 1, Bytes: 4000 * (i + 1)}, stats.HostToDevice)
		require.Zero(t, stats.DeviceToHost)
	}
}
