package convolution

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// TestImagesAbreastAreThoseAlone computes images that are summed in a lane each: they equal the definition, and have the bits that each has
// alone.
func TestImagesAbreastAreThoseAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	for _, s := range []Shape{
		{16, 1, 3, 16, [3]Axis{NoAxis, axis(7, 3, 1, 1, 0, 0), axis(8, 2, 1, 1, 0, 0)}},
		{32, 2, 2, 6, [3]Axis{NoAxis, axis(6, 2, 1, 2, 0, 0), axis(9, 3, 1, 2, 0, 0)}},
		{16, 1, 5, 3, [3]Axis{NoAxis, axis(8, 2, 1, 1, 0, 0), axis(4, 2, 1, 1, 0, 0)}},
		{16, 1, 60, 2, [3]Axis{NoAxis, axis(6, 3, 1, 1, 0, 0), axis(6, 3, 1, 1, 0, 0)}},
	} {
		x := newTrial(s, [4]layout{}, uniform[float32](r))
		features.Each(func(level features.Level) {
			if p := forwardPass[float32](&s, x.operands(), 1); level != features.Portable {
				require.Equal(t, p.family.lanes, p.images, "%v: %v", level, s)
			}
		})
		forward := directions[float32]()[:1]
		x.check(t, forward)
		all, count := x.run(t, forward[0], 2), s.Groups*s.Filters*s.results()
		for image := range s.Batch {
			one := s
			one.Batch = 1
			alone := newTrial(one, [4]layout{}, uniform[float32](r))
			alone.weights, alone.bias = x.weights, x.bias
			alone.data.Start = unsafe.Pointer(x.data.at([5]int{image}))
			require.True(t, sameBits(alone.run(t, forward[0], 1), all[image*count:][:count]), "image %d: %v", image, s)
		}
	}
	s := Shape{8, 1, 2, 8, [3]Axis{NoAxis, axis(7, 2, 1, 1, 0, 0), axis(6, 2, 1, 1, 0, 0)}}
	newTrial(s, [4]layout{}, uniform[float64](r)).check(t, directions[float64]()[:1])
}
