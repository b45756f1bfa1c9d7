//go:build linux && (amd64 || arm64)

package cuda

import (
	"errors"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// capturing returns a stream of b, and four float32 on the device.
func capturing(t *testing.T, b *Backend) (*stream, device.Pointer) {
	s, err := b.NewStream(0)
	require.NoError(t, err)
	p, err := b.Allocate(0, 16)
	require.NoError(t, err)
	host := []float32{1, 2, 3, 4}
	require.NoError(t, s.Copy(p, device.Pointer{Host: unsafe.Pointer(&host[0])}, 16))
	return s.(*stream), p
}

func contents(t *testing.T, s device.Stream, p device.Pointer) []float32 {
	host := make([]float32, 4)
	require.NoError(t, s.Copy(device.Pointer{Host: unsafe.Pointer(&host[0])}, p, 16))
	e, err := s.Record()
	require.NoError(t, err)
	require.NoError(t, e.Wait())
	return host
}

func TestKeptWorkRunsAsOftenAsItIsEnqueued(t *testing.T) {
	b, fake := start(t, nil)
	s, p := capturing(t, b)
	require.NoError(t, negate(t, b, s, p)) // loads the kernel
	before := fake.Get("launches")
	require.NoError(t, s.Capture())
	for range 3 {
		require.NoError(t, negate(t, b, s, p))
	}
	require.Error(t, s.Capture(), "already")
	w, err := s.Captured()
	require.NoError(t, err)
	require.Equal(t, []float32{-1, -2, -3, -4}, contents(t, s, p), "nothing has run")
	for range 3 {
		require.NoError(t, w.Enqueue(s))
	}
	require.Equal(t, []float32{1, 2, 3, 4}, contents(t, s, p))
	require.Equal(t, 3, fake.Get("replays"))
	require.Equal(t, before+1, fake.Get("launches"), "once while it was kept, as a chain")
	stats, err := b.Stats(0)
	require.NoError(t, err)
	require.Equal(t, 1+3, stats.Launches)
	other, err := b.NewStream(1)
	require.NoError(t, err)
	require.ErrorContains(t, w.Enqueue(other), "work of another device")
	w = nil
	require.Eventually(t, func() bool {
		runtime.GC()
		require.NoError(t, s.Capture()) // gives back what nobody has
		_, err := s.Captured()
		require.NoError(t, err)
		return fake.Get("graphs") < 3
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, s.Close())
}

func TestHandlesAreMadeBeforeACapture(t *testing.T) {
	b, _ := start(t, nil)
	multiply := func(s *stream, p device.Pointer) {
		k, found := b.Kernel("matmul/float32")
		require.True(t, found)
		v := device.View{Pointer: p, DType: dtype.Float32, Shape: []int{1, 1}, Strides: []int{1, 1}}
		z := v
		z.Pointer = p.Add(4)
		require.NoError(t, k.Launch(s, &device.Arguments{Outputs: []device.View{z}, Inputs: []device.View{v, v}}))
	}
	for used := range 2 {
		s, p := capturing(t, b)
		require.NoError(t, s.Capture())
		require.Equal(t, used == 1, s.blas != nil, "a unit without products needs none")
		_, err := s.Captured()
		require.NoError(t, err)
		multiply(s, p)
		require.Equal(t, []float32{1, 1, 3, 4}, contents(t, s, p))
		require.NoError(t, s.Close())
	}
}

func TestWorkThatCannotBeKeptIsAnErrorOfTheCapture(t *testing.T) {
	b, fake := start(t, nil)
	s, p := capturing(t, b)
	fake.Set("noGraphs", 1)
	require.ErrorContains(t, s.Capture(), "CUDA_ERROR_NOT_SUPPORTED")
	fake.Set("noGraphs", 0)
	require.NoError(t, s.Capture())
	_, err := s.Record() // nobody can wait for it
	require.ErrorContains(t, err, "CAPTURE_UNSUPPORTED")
	_, err = s.Captured()
	require.Error(t, err)
	fake.Set("graphFails", 1)
	require.NoError(t, s.Capture())
	_, err = s.Captured()
	require.ErrorContains(t, err, "cuGraphInstantiate")
	require.NoError(t, s.Capture())
	one, found := b.Kernel("one_hot/float32")
	require.True(t, found)
	err = one.Launch(s, &device.Arguments{
		Outputs: []device.View{{Pointer: p, DType: dtype.Float32, Shape: []int{1, 4}, Strides: []int{4, 1}}},
		Inputs:  []device.View{{Pointer: p, DType: dtype.Int32, Shape: []int{1}, Strides: []int{1}}},
	})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = s.Captured()
	require.NoError(t, err)
	require.NoError(t, negate(t, b, s, p))
	require.Equal(t, []float32{-1, -2, -3, -4}, contents(t, s, p))
	require.NoError(t, s.Close())
}
