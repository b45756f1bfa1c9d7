package fourier

import (
	"testing"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

func TestStepsOfRealNumbersHaveTheBitsOfGo(t *testing.T) {
	t.Run("float32", testHalves[float32])
	t.Run("float64", testHalves[float64])
}

// testHalves runs them in parts, too, as threads do.
func testHalves[T dtype.Float](t *testing.T) {
	for half := 1; half < 80; half++ {
		p := newRealPlan[T](2*half, Longest)
		for _, inverse := range []bool{false, true} {
			for name, step := range map[string]func(x []Number[T], lo, hi int, inverse bool){"unpack": p.unpack, "pack": p.pack} {
				var want []Number[T]
				features.Each(func(level features.Level) {
					got, last := randomLine[T](half+1), half/2
					middle := last / 3
					step(got, 0, middle, inverse)
					step(got, middle+1, last, inverse)
					if level == features.Portable {
						want = got
					}
					requireSameBits(t, want, got, "%s of %d, %v", name, half, level)
				})
			}
		}
	}
}
