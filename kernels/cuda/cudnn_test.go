//go:build linux && (amd64 || arm64)

package cuda

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// image is the arguments of a convolution of 1, 2, 3, 4 by 1, 10 into what is behind them, with all in one allocation: data at p, weights
// at 16 and the result at 32.
func image(p device.Pointer) *device.Arguments {
	line := func(at, size int) device.View {
		return device.View{Pointer: p.Add(at), DType: dtype.Float32, Shape: []int{1, 1, size}, Strides: []int{size, size, 1}}
	}
	return &device.Arguments{
		Outputs: []device.View{line(32, 3)}, Inputs: []device.View{line(0, 4), line(16, 2)}, Integers: []int64{1, 1, 1, 1, 0},
	}
}

// onImage returns a stream of device index and memory for image, with data and weights.
func onImage(t *testing.T, b *Backend, index int) (*stream, device.Pointer) {
	s, err := b.NewStream(index)
	require.NoError(t, err)
	p, err := b.Allocate(index, 256)
	require.NoError(t, err)
	host := []float32{1, 2, 3, 4, 1, 10}
	require.NoError(t, s.Copy(p, device.Pointer{Host: unsafe.Pointer(&host[0])}, 24))
	return s.(*stream), p
}

// temporary returns memory for a call on s, which the test gives back when it ends: work that is kept has it too.
func temporary(t *testing.T, b *Backend, s *stream, bytes int) device.Pointer {
	if bytes == 0 {
		return device.Pointer{}
	}
	index := s.unit.device.Index
	p, err := b.Allocate(index, bytes)
	require.NoError(t, err)
	t.Cleanup(func() { b.Free(index, p, bytes) })
	return p
}

// convolve computes a as operators do, with its temporary memory.
func convolve(t *testing.T, b *Backend, s *stream, a *device.Arguments) error {
	k, found := b.Kernel("conv/float32")
	require.True(t, found)
	a.ScratchBytes = k.(device.ScratchKernel).Scratch(s.unit.device.Index, a)
	a.Scratch = temporary(t, b, s, a.ScratchBytes)
	return k.Launch(s, a)
}

var convolved = []float32{21, 32, 43, 0}

func TestConvolutionsAreThoseOfCuDNNWhereItTakesThem(t *testing.T) {
	b, fake := start(t, map[string]int64{"dnnDevices": 1})
	for index, byDNN := range []int{1, 0} {
		s, p := onImage(t, b, index)
		before := fake.Get("convolutions")
		require.NoError(t, s.Fill(p.Add(32), 16))
		require.NoError(t, convolve(t, b, s, image(p)))
		require.Equal(t, convolved, contents(t, s, p.Add(32)))
		require.Equal(t, before+byDNN, fake.Get("convolutions"))
		stats, err := b.Stats(index)
		require.NoError(t, err)
		require.Equal(t, 1, stats.Launches)

		askew := image(p)
		askew.Outputs[0].Pointer = p.Add(36)
		require.NoError(t, convolve(t, b, s, askew))
		require.Equal(t, convolved[:3], contents(t, s, p.Add(36))[:3])
		require.Equal(t, before+byDNN, fake.Get("convolutions"), "cuDNN takes no addresses like this")
		require.NoError(t, s.Close())
	}
	require.Equal(t, 2, fake.Get("dnnHandles"), "that choose, one for each device")
}

func TestWhatCuDNNRefusesIsAnErrorOnce(t *testing.T) {
	for _, c := range []struct {
		fails string
		at    int64
		want  string
		is    error
	}{
		{"dnnCreateFails", 1, "gpu(0): cudnnCreate: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", fault.ErrOutOfMemory},
		{"dnnChooseFails", 1, "CUDNN_STATUS_EXECUTION_FAILED: the fake says so (WEFT_CUDNN=0 does without the library)", fault.ErrDevice},
		{"dnnCreateFails", 2, "gpu(0): cudnnCreate: ", fault.ErrOutOfMemory},
		{"dnnFails", 1, "gpu(0): cudnnConvolutionForward: CUDNN_STATUS_EXECUTION_FAILED", fault.ErrDevice},
	} {
		t.Run(c.fails, func(t *testing.T) {
			b, fake := start(t, nil)
			s, p := onImage(t, b, 0)
			fake.Set(c.fails, c.at)
			err := convolve(t, b, s, image(p))
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.want)
			require.NoError(t, s.Fill(p.Add(32), 16))
			require.NoError(t, convolve(t, b, s, image(p)))
			require.Equal(t, convolved, contents(t, s, p.Add(32)))
			require.NoError(t, s.Close())
		})
	}
}

func TestConvolutionsThatCuDNNRefusesAreThoseOfKernelsFromThenOn(t *testing.T) {
	for _, operator := range []string{"conv", "conv_bias"} {
		b, fake := start(t, nil)
		s, p := onImage(t, b, 0)
		k, found := b.Kernel(operator + "/float32")
		require.True(t, found)
		a, want := image(p), convolved
		if operator == "conv_bias" { // the first number of the data
			a.Inputs, want = append(a.Inputs, device.View{Pointer: p, DType: dtype.Float32, Shape: []int{1}, Strides: []int{1}}), []float32{22, 33, 44, 0}
		}
		fake.Set("dnnRefuses", 1)
		for range 2 {
			require.NoError(t, s.Fill(p.Add(32), 16))
			a.ScratchBytes = k.(device.ScratchKernel).Scratch(0, a)
			a.Scratch = temporary(t, b, s, a.ScratchBytes)
			require.NoError(t, k.Launch(s, a))
			require.Equal(t, want, contents(t, s, p.Add(32)))
		}
		require.Zero(t, fake.Get("convolutions"))
		require.NoError(t, s.Close())
	}
}

func TestKeptWorkHasConvolutionsOfCuDNN(t *testing.T) {
	b, fake := start(t, nil)
	s, p := onImage(t, b, 0)
	require.NoError(t, convolve(t, b, s, image(p)))
	require.NoError(t, s.Close())
	s, p = onImage(t, b, 0)
	require.NoError(t, s.Capture())
	fake.Set("dnnCreateFails", 1) // the handle is there
	require.NoError(t, s.Fill(p.Add(32), 16))
	require.NoError(t, convolve(t, b, s, image(p)))
	w, err := s.Captured()
	require.NoError(t, err)
	require.NoError(t, w.Enqueue(s))
	require.Equal(t, convolved, contents(t, s, p.Add(32)))
	stats, err := b.Stats(0)
	require.NoError(t, err)
	require.Equal(t, 2, stats.Launches)
	require.NoError(t, s.Close())
}

func TestRealConvolutionsAreKept(t *testing.T) {
	b := realBackend(t)
	s, p := onImage(t, b, 0)
	require.NoError(t, convolve(t, b, s, image(p)))
	require.NoError(t, s.Capture())
	require.NoError(t, s.Fill(p.Add(32), 16))
	require.NoError(t, convolve(t, b, s, image(p)))
	w, err := s.Captured()
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, w.Enqueue(s))
		require.Equal(t, convolved, contents(t, s, p.Add(32)))
	}
	require.NoError(t, s.Close())
}

func TestParametersThatCuDNNCannotCountAreForKernels(t *testing.T) {
	const large = 1 << 31
	for name, c := range map[string]struct {
		kernel, result            int
		stride, dilation, padding int64
	}{
		"stride": {2, 1, large, 1, 0}, "dilation": {1, 4, 1, large, 0}, "padding": {2, 2, large - 1, 1, large / 2}, "both": {2, 1, large, large, large / 2},
	} {
		a := image(device.Pointer{})
		a.Inputs[1].Shape[2], a.Outputs[0].Shape[2] = c.kernel, c.result
		copy(a.Integers[2:], []int64{c.stride, c.dilation, c.padding})
		for _, v := range append(a.Inputs, a.Outputs...) {
			v.Strides[0], v.Strides[1] = v.Shape[2], v.Shape[2]
		}
		_, ok := planConvolution(driver.ToResult, a)
		require.False(t, ok, name)
	}
	_, ok := planConvolution(driver.ToResult, image(device.Pointer{}))
	require.True(t, ok)
}

func TestNoMoreConvolutionsAreRememberedThanMay(t *testing.T) {
	b, fake := start(t, nil)
	s, p := onImage(t, b, 0)
	require.NoError(t, convolve(t, b, s, image(p)))
	for i := range mostChoices {
		c, _ := planConvolution(driver.ToResult, image(p))
		c.Images = i + 2
		s.unit.convolutions.chosen[c.Convolution] = choice[driver.Algorithm]{}
	}
	other := image(p)
	other.Integers[2], other.Outputs[0].Shape, other.Outputs[0].Strides = 2, []int{1, 1, 2}, []int{2, 2, 1}
	require.NoError(t, s.Fill(p.Add(32), 16))
	require.NoError(t, convolve(t, b, s, other))
	require.Equal(t, []float32{21, 43, 0, 0}, contents(t, s, p.Add(32)))
	require.Equal(t, 1, fake.Get("convolutions"))
	require.NoError(t, s.Close())
}

func TestReportTellsOfCuDNN(t *testing.T) {
	for setting, want := range map[string]string{"": "cuDNN    ", "0": "cuDNN    not found: it is not looked for: WEFT_CUDNN=0"} {
		fake := cudatest.Start(t)
		t.Setenv("WEFT_CUDNN", setting)
		if setting == "" {
			want += fake.Folder
		}
		var text bytes.Buffer
		require.NoError(t, New().report(&text))
		require.Contains(t, text.String(), want)
	}
}
