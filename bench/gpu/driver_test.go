package gpu

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
)

// copyTime returns how long the driver alone takes for a copy of so many bytes, in the GPU's memory or from pinned memory: the median of
// several, after one that does not count. The bandwidth test of CUDA's samples measures the same.
func copyTime(b testing.TB, bytes int, fromHost bool) time.Duration {
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

func TestTimesOfCopiesAreOfCopiesThatHaveEnded(t *testing.T) {
	fake := cudatest.Install(t)
	for counter, fromHost := range map[string]bool{"copiesIn": true, "copiesOver": false} {
		t.Run(counter, func(t *testing.T) {
			t.Cleanup(func() { fake.Set("copyMicroseconds", 0) })
			fake.Set("copyMicroseconds", 2000)
			before := fake.Get(counter)
			require.GreaterOrEqual(t, copyTime(t, 4000, fromHost), 2*time.Millisecond)
			require.Equal(t, before+12, fake.Get(counter))
		})
	}
}
