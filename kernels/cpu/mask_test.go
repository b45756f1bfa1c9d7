package cpu

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// Memory that others have written may hold bools of any bits.
func TestMasksOfAnyBitsAreTrueWhereTheyAreNotZero(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	view := func(elements []byte, shape ...int) device.View {
		v := device.View{DType: dtype.Bool, Shape: shape, Strides: []int{1}}
		if len(elements) > 0 {
			v.Pointer = device.Pointer{Host: unsafe.Pointer(&elements[0])}
		}
		return v
	}
	thread := parallel.Serial()
	for length := range 200 {
		mask, count := make([]byte, length), 0
		for i := range mask {
			if random.IntN(2) == 1 {
				mask[i] = byte(random.IntN(256))
			}
			if mask[i] != 0 {
				count++
			}
		}
		m, err := newMasking(thread, &scratch{}, view(make([]byte, length), length), view(make([]byte, count), count), view(mask, length), 0, false)
		require.NoError(t, err)
		require.Equal(t, count, m.starts[len(m.starts)-1])
		for i, set := range m.mask {
			require.Equal(t, mask[i] != 0, set == 1)
			require.LessOrEqual(t, set, byte(1))
		}
	}
}
