package ops

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Go's heap has objects of 320 bytes, and next of 384: half of the time that a small array takes is that of its bytes.
func TestASmallArrayWithItsMemoryTakes320Bytes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 {
		require.EqualValues(t, 320, unsafe.Sizeof(contained{}))
	}
}

// Small arrays lie in one object of Go's heap, whose size has to keep their memory aligned.
func TestSmallArraysAreAlignedAndKeepTheirContents(t *testing.T) {
	env := newEnv(t, "perdevice")
	made := []*Tensor{}
	for i := range 2000 {
		bytes := i % 70
		data := make([]byte, bytes)
		for j := range data {
			data[j] = byte(i + j)
		}
		made = append(made, FromBytes(env, dtype.Uint8, data, [][]int{{bytes}, {1, bytes}, {1, 1, bytes}}[i%3]))
		if i%100 == 0 {
			runtime.GC()
		}
	}
	for i, x := range made {
		bytes := i % 70
		require.NoError(t, Access(t.Context(), x, engine.Read, false, fault.Here(0), func(data []byte) error {
			require.Len(t, data, bytes)
			if bytes > 0 {
				require.Zero(t, uintptr(unsafe.Pointer(&data[0]))%64)
			}
			for j, v := range data {
				require.Equal(t, byte(i+j), v)
			}
			return nil
		}))
	}
}
