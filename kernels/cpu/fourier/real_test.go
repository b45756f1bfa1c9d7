package fourier

import (
	"testing"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/guarded"
)

func TestStepsOfRealNumbersHaveTheBitsOfGo(t *testing.T) {
	t.Run("float32", testHalves[float32])
	t.Run("float64", testHalves[float64])
}

// testHalves runs them in parts, too, as threads do.
func testHalves[T dtype.Float](t *testing.T) {
	for half := 1; half < 80; half++ {
		p := newRealPlan[T](2*half, longLine)
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

// TestStepsOfWholeLinesHaveTheBitsOfGo runs them on lines that end where memory ends.
func TestStepsOfWholeLinesHaveTheBitsOfGo(t *testing.T) {
	t.Run("float32", testWholeLines[float32])
	t.Run("float64", testWholeLines[float64])
}

func testWholeLines[T dtype.Float](t *testing.T) {
	const lines = 3
	size := int(unsafe.Sizeof(Number[T]{}))
	memory := [2][]byte{guarded.Memory(t, 16<<10), guarded.Memory(t, 16<<10)}
	last := func(memory []byte, count int) []Number[T] {
		return unsafe.Slice((*Number[T])(unsafe.Pointer(&memory[len(memory)-count*size])), count)
	}
	for half := 1; half < 80; half++ {
		p := newRealPlan[T](2*half, longLine)
		x, y := last(memory[0], lines*(half+1)), last(memory[1], lines*(half+1))
		copy(x, randomLine[T](len(x)))
		for _, inverse := range []bool{false, true} {
			for name, step := range map[string]func(y, x batch[T], lines int, inverse bool){"unpack": p.unpackLines, "pack": p.packLines} {
				count := half + 1
				if name == "pack" {
					count = half // of those behind them nothing is said
				}
				var want [][]Number[T]
				features.Each(func(level features.Level) {
					clear(y)
					step(batchOf(y, half+1), batchOf(x, half+1), lines, inverse)
					for line := range lines {
						got := y[line*(half+1):][:count]
						if level == features.Portable {
							want = append(want, append([]Number[T]{}, got...))
						}
						requireSameBits(t, want[line], got, "%s of %d, line %d, %v", name, half, line, level)
					}
				})
			}
		}
	}
}
