//go:build linux && amd64

package ndarray_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/storage"
)

func TestAttentionOnAGPUIsThatOfTheHost(t *testing.T) {
	cudatest.Install(t)
	wave := func(shape ...int) *nd.Array {
		return nd.Arange[float32](0, float32(storage.Count(shape)), 1).Sin().Reshape(shape...)
	}
	q, k, v := wave(2, 3, 4, 6), wave(3, 5, 6), wave(2, 1, 5, 7)
	floats := wave(4, 5).Copy()
	floats.SetSlice(nd.Weak(math.Inf(-1)), 1)
	for name, mask := range map[string]*nd.Array{
		"none": nil, "bools": wave(3, 4, 5).GreaterScalar(0), "hides all": nd.Zeros[bool](5), "floats": floats,
	} {
		want := nd.Attention(q, k, v, mask)
		there := []*nd.Array{q.To(device.GPU(0)), k.To(device.GPU(0)), v.To(device.GPU(0)), nil}
		if mask != nil {
			there[3] = mask.To(device.GPU(0))
		}
		got := nd.Attention(there[0], there[1], there[2], there[3])
		require.Equal(t, device.GPU(0), got.Device())
		require.Equal(t, dtype.Float32, got.DType())
		require.InDeltaSlice(t, values[float32](t, want), values[float32](t, got), 1e-6, name)
	}
}
