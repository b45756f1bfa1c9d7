package gpu

import (
	"context"
	"testing"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda"
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

// copyTime returns how long the driver alone takes for a copy of so many bytes, in the GPU's memory or from pinned memory: the median of
// several, after one that does not count. The bandwidth test of CUDA's samples measures the same.
func copyTime(b *testing.B, bytes int, fromHost bool) time.Duration {
	b.Helper()
	backend := cuda.Default()
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	var from device.Pointer
	to, err := backend.Allocate(0, bytes)
	check(err)
	defer backend.Free(0, to, bytes)
	if fromHost {
		from, err = backend.AllocatePinned(bytes)
		check(err)
		defer backend.FreePinned(from, bytes)
	} else {
		from, err = backend.Allocate(0, bytes)
		check(err)
		defer backend.Free(0, from, bytes)
	}
	s, err := backend.NewStream(0)
	check(err)
	defer s.Close()
	return median(func() {
		check(s.Copy(to, from, bytes))
		e, err := s.Record()
		check(err)
		check(e.Wait())
	})
}
