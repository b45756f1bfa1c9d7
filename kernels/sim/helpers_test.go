package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/parallel"
)

func host[T any](values []T) device.Pointer {
	return device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(values))}
}

func newStream(t *testing.T, b *Backend, index int) *stream {
	s, err := b.NewStream(index)
	require.NoError(t, err)
	return s.(*stream)
}

func allocate(t *testing.T, b *Backend, index, bytes int) device.Pointer {
	p, err := b.Allocate(index, bytes)
	require.NoError(t, err)
	return p
}

func record(t *testing.T, s *stream) device.Event {
	e, err := s.Record()
	require.NoError(t, err)
	return e
}

// upload returns memory of s's device that holds values once s gets there.
func upload[T any](t *testing.T, s *stream, values []T) device.Pointer {
	var element T
	bytes := len(values) * int(unsafe.Sizeof(element))
	p := allocate(t, s.unit.backend, s.unit.device.Index, bytes)
	require.NoError(t, s.Copy(p, host(values), bytes))
	return p
}

// download returns count elements at p, after all work of s.
func download[T any](t *testing.T, s *stream, p device.Pointer, count int) []T {
	values := make([]T, count)
	require.NoError(t, s.Copy(host(values), p, count*int(unsafe.Sizeof(values[0]))))
	require.NoError(t, record(t, s).Wait())
	return values
}

func define(b *Backend, name string, run cpu.Kernel) *kernel {
	return &kernel{backend: b, name: name, run: run}
}

// double multiplies the bytes of its one output by two.
func double(b *Backend) *kernel {
	return define(b, "double", func(_ *parallel.Thread, a *device.Arguments) error {
		out := a.Outputs[0]
		for i, v := range out.Pointer.Bytes(out.Count()) {
			out.Pointer.Bytes(out.Count())[i] = 2 * v
		}
		return nil
	})
}

func bytesView(p device.Pointer, count int) device.View {
	return device.View{Pointer: p, DType: dtype.Uint8, Shape: []int{count}, Strides: []int{1}}
}
