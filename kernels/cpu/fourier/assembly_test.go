package fourier

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/guarded"
)

// requireSameBits tells zeros with a sign from others.
func requireSameBits[T dtype.Float](t *testing.T, want, got []Number[T], message ...any) {
	t.Helper()
	bits := func(x []Number[T]) []byte {
		return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
	}
	require.Equal(t, bits(want), bits(got), message...)
}

func TestAssemblyHasTheBitsOfGo(t *testing.T) {
	t.Run("float32", testAssembly[float32])
	t.Run("float64", testAssembly[float64])
}

func testAssembly[T dtype.Float](t *testing.T) {
	for _, n := range append(lengths(), 1<<13, 3<<12) {
		p := newPlan[T](n, Longest)
		var want []Number[T]
		features.Each(func(level features.Level) {
			got := transformed(p, randomLine[T](n))
			if level == features.Portable {
				want = got
			}
			requireSameBits(t, want, got, "%d numbers, %v", n, level)
		})
	}
}

func TestAssemblyStaysInItsMemory(t *testing.T) {
	t.Run("float32", testMemory[float32])
	t.Run("float64", testMemory[float64])
}

// testMemory runs passes on operands that end where memory ends.
func testMemory[T dtype.Float](t *testing.T) {
	memory := [3][]byte{}
	for i := range memory {
		memory[i] = guarded.Memory(t, 64<<10)
	}
	last := func(memory []byte, count int) []Number[T] {
		bytes := count * int(unsafe.Sizeof(Number[T]{}))
		return unsafe.Slice((*Number[T])(unsafe.Pointer(&memory[len(memory)-bytes])), count)
	}
	for _, radix := range []int{2, 3, 4, 5, 7, 8} {
		for _, count := range []int{1, 2, 3, 8, 9, 16} {
			for _, width := range []int{1, 2, 3, 4, 8, 16, 24} {
				p := newPass[T](radix, count, width)
				roots := last(memory[0], len(p.roots))
				copy(roots, p.roots)
				p.roots = roots
				x := last(memory[1], radix*count*width)
				copy(x, randomLine[T](len(x)))
				y := last(memory[2], len(x))
				var want []Number[T]
				features.Each(func(level features.Level) {
					clear(y)
					p.run(batchOf(y, 0), batchOf(x, 0), 1)
					if level == features.Portable {
						want = append(want, y...)
					}
					requireSameBits(t, want, y, "radix %d, %d transforms, rows of %d, %v", radix, count, width, level)
				})
			}
		}
	}
}
