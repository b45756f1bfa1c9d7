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
)

// products multiplies two pairs of 2 by 2 matrices, of which those of the second pair are the transposes of those of the first.
func products(t *testing.T, b *Backend, s *stream, batches int) ([]float32, error) {
	host := []float32{1, 2, 3, 4, 1, 3, 2, 4, 5, 6, 7, 8, 5, 7, 6, 8, 0, 0, 0, 0, 0, 0, 0, 0}
	p, err := b.Allocate(0, 96)
	require.NoError(t, err)
	at := device.Pointer{Host: unsafe.Pointer(&host[0])}
	require.NoError(t, s.Copy(p, at, 96))
	view := func(i int) device.View {
		return device.View{Pointer: p.Add(32 * i), DType: dtype.Float32, Shape: []int{batches, 2, 2}, Strides: []int{4, 2, 1}}
	}
	k, found := b.Kernel("matmul/float32")
	require.True(t, found)
	err = k.Launch(s, &device.Arguments{Outputs: []device.View{view(2)}, Inputs: []device.View{view(0), view(1)}})
	require.NoError(t, s.Copy(at, p, 96))
	require.NoError(t, s.mustRecord(t).Wait())
	b.Free(0, p, 96)
	return host[16:][:4*batches], err
}

func TestProductsThatCuBLASRefusesAreThoseOfAKernelAreCountedAndNotAskedForAgain(t *testing.T) {
	for _, batches := range []int{1, 2} {
		for status, name := range map[int64]string{7: "INVALID_VALUE", 8: "ARCH_MISMATCH", 15: "NOT_SUPPORTED"} {
			b, fake := start(t, map[string]int64{"blasStatus": status})
			opened, err := b.NewStream(0)
			require.NoError(t, err)
			s := opened.(*stream)
			want, err := products(t, b, s, 3-batches)
			require.NoError(t, err)
			require.Equal(t, []float32{19, 22, 43, 50}, want[:4])
			fake.Set("blasFails", 1)
			for i := range 3 {
				found, err := products(t, b, s, batches)
				require.NoError(t, err)
				require.Equal(t, want[:4], found[:4])
				stats, err := b.Stats(0)
				require.NoError(t, err)
				require.Equal(t, i+1, stats.Refused)
				require.Equal(t, 1, fake.Get("products"))
			}
			_, err = products(t, b, s, 3-batches)
			require.NoError(t, err)
			require.Equal(t, 2, fake.Get("products"), "others are")
			var report bytes.Buffer
			require.NoError(t, b.report(&report))
			require.Regexp(t, "gpu.0. .*; kernels of weft have computed 3 calls that libraries refused, the last: cublas.*: CUBLAS_STATUS_"+name+": unsupported operation\n", report.String())
			require.NoError(t, s.Close())
		}
	}
}

func TestFailuresOfCuBLASAreNoRefusals(t *testing.T) {
	b, fake := start(t, nil)
	opened, err := b.NewStream(0)
	require.NoError(t, err)
	s := opened.(*stream)
	for status, is := range map[int64]error{3: fault.ErrOutOfMemory, 1: fault.ErrDevice, 11: fault.ErrDevice, 13: fault.ErrDevice, 14: fault.ErrDevice} {
		fake.Set("blasStatus", status)
		fake.Set("blasFails", 1)
		_, err := products(t, b, s, 1)
		require.ErrorIs(t, err, is, status)
		_, err = products(t, b, s, 1)
		require.NoError(t, err)
	}
	stats, err := b.Stats(0)
	require.NoError(t, err)
	require.Zero(t, stats.Refused)
	require.NoError(t, s.Close())
}
