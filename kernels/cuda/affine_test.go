//go:build linux && (amd64 || arm64)

package cuda

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// layer is the arguments of a fully connected layer, all in one allocation: x (2,2) at p, weights (2,2) at 16, the bias (2) at 32 and
// the result at 48.
func layer(p device.Pointer, activation int64) *device.Arguments {
	at := func(place int, strides ...int) device.View {
		return device.View{Pointer: p.Add(place), DType: dtype.Float32, Shape: []int{2, 2}, Strides: strides}
	}
	return &device.Arguments{
		Outputs: []device.View{at(48, 2, 1)}, Inputs: []device.View{at(0, 2, 1), at(16, 2, 1), at(32, 0, 1)},
		Integers: []int64{activation}, Scalars: []float64{1},
	}
}

// onLayer returns a stream of device index and memory for layer, with its operands.
func onLayer(t *testing.T, b *Backend, index int) (*stream, device.Pointer) {
	s, err := b.NewStream(index)
	require.NoError(t, err)
	p, err := b.Allocate(index, 256)
	require.NoError(t, err)
	host := []float32{1, 2, 3, float32(math.Inf(1)), 5, 6, 7, 8, 100, -1000}
	require.NoError(t, s.Copy(p, device.Pointer{Host: unsafe.Pointer(&host[0])}, 40))
	return s.(*stream), p
}

func connect(t *testing.T, b *Backend, s *stream, a *device.Arguments) error {
	k, found := b.Kernel("linear/float32")
	require.True(t, found)
	a.ScratchBytes = k.(device.ScratchKernel).Scratch(s.unit.device.Index, a)
	a.Scratch = temporary(t, b, s, a.ScratchBytes)
	return k.Launch(s, a)
}

var (
	infinity  = float32(math.Inf(1))
	connected = []float32{119, -978, infinity, infinity}
	rectified = []float32{119, 0, infinity, infinity}
)

func TestLayersWithoutAnActivationAreOneLaunchOfCuBLASLt(t *testing.T) {
	b, fake := start(t, map[string]int64{"ltDevices": 1})
	for index, launches := range []int{1, 2} {
		s, p := onLayer(t, b, index)
		require.NoError(t, connect(t, b, s, layer(p, 0)))
		require.Equal(t, connected, contents(t, s, p.Add(48)))
		stats, err := b.Stats(index)
		require.NoError(t, err)
		require.Equal(t, launches, stats.Launches)
		require.NoError(t, connect(t, b, s, layer(p, 1)))
		require.Equal(t, rectified, contents(t, s, p.Add(48)))
		require.Equal(t, 1, fake.Get("affineProducts"))
		require.NoError(t, s.Close())
	}
}

func TestLayersThatCuBLASLtDoesNotTakeAreKernels(t *testing.T) {
	b, fake := start(t, nil)
	s, p := onLayer(t, b, 0)
	for name, change := range map[string]func(a *device.Arguments){
		"a factor":              func(a *device.Arguments) { a.Scalars[0] = 2 },
		"an addend of its own":  func(a *device.Arguments) { a.Inputs[2].Strides, a.Inputs[2].Pointer = []int{2, 1}, p },
		"a bias for each row":   func(a *device.Arguments) { a.Inputs[2].Strides = []int{1, 0} },
		"a bias that is spread": func(a *device.Arguments) { a.Inputs[2].Strides = []int{0, 2} },
		"two addends":           func(a *device.Arguments) { a.Inputs = append(a.Inputs, a.Inputs[2]) },
		"a transposed result":   func(a *device.Arguments) { a.Outputs[0].Strides = []int{1, 2} },
		"an odd address":        func(a *device.Arguments) { a.Outputs[0].Pointer = p.Add(52) },
	} {
		a := layer(p, 0)
		change(a)
		require.NoError(t, connect(t, b, s, a), name)
		require.Zero(t, fake.Get("affineProducts"), name)
	}
	require.NoError(t, connect(t, b, s, layer(p, 0)))
	require.Equal(t, connected, contents(t, s, p.Add(48)))
	require.Equal(t, 1, fake.Get("affineProducts"))
	require.NoError(t, s.Close())
}

func TestWhatCuBLASLtRefusesIsAnErrorOnce(t *testing.T) {
	b, fake := start(t, nil)
	s, p := onLayer(t, b, 0)
	fake.Set("blasFails", 1)
	require.EqualError(t, connect(t, b, s, layer(p, 0)), "gpu(0): cublasLtMatmul: CUBLAS_STATUS_EXECUTION_FAILED (WEFT_CUBLASLT=0 does without the library)")
	require.NoError(t, connect(t, b, s, layer(p, 0)))
	require.Equal(t, connected, contents(t, s, p.Add(48)))
	require.NoError(t, s.Close())
}

func TestLayersThatCuBLASLtRefusesAreKernelsFromThenOn(t *testing.T) {
	b, fake := start(t, nil)
	s, p := onLayer(t, b, 0)
	fake.Set("ltRefuses", 1)
	for range 2 {
		require.NoError(t, s.Fill(p.Add(48), 16))
		require.NoError(t, connect(t, b, s, layer(p, 0)))
		require.Equal(t, connected, contents(t, s, p.Add(48)))
	}
	require.Zero(t, fake.Get("affineProducts"))
	require.NoError(t, s.Close())
}

func keepLayer(t *testing.T, b *Backend) {
	s, p := onLayer(t, b, 0)
	require.NoError(t, connect(t, b, s, layer(p, 0)))
	require.NoError(t, s.Close())
	s, p = onLayer(t, b, 0)
	require.NoError(t, s.Capture())
	require.NoError(t, s.Fill(p.Add(48), 16))
	require.NoError(t, connect(t, b, s, layer(p, 0)))
	w, err := s.Captured()
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, w.Enqueue(s))
		require.Equal(t, connected, contents(t, s, p.Add(48)))
	}
	require.NoError(t, s.Close())
}

func TestKeptWorkHasLayersOfCuBLASLt(t *testing.T) {
	b, fake := start(t, nil)
	keepLayer(t, b)
	require.Equal(t, 2, fake.Get("affineProducts"))
}

func TestRealLayersAreKept(t *testing.T) { keepLayer(t, realBackend(t)) }
