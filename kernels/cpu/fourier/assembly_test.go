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
		p := newPlan[T](n, longLine)
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

// TestAssemblyTakesRowsAndLinesThatAreApart runs passes of several lines, and of rows from a matrix, on operands that end where memory ends.
func TestAssemblyTakesRowsAndLinesThatAreApart(t *testing.T) {
	t.Run("float32", testApart[float32])
	t.Run("float64", testApart[float64])
}

func testApart[T dtype.Float](t *testing.T) {
	memory := [2][]byte{guarded.Memory(t, 256<<10), guarded.Memory(t, 256<<10)}
	size := int(unsafe.Sizeof(Number[T]{}))
	last := func(memory []byte, count int) []Number[T] {
		return unsafe.Slice((*Number[T])(unsafe.Pointer(&memory[len(memory)-count*size])), count)
	}
	for _, radix := range []int{2, 3, 4, 5, 7, 8} {
		for _, count := range []int{1, 4, 8, 11} {
			for _, width := range []int{1, 4, 8, 16} {
				p := newPass[T](radix, count, width)
				const lines, apart = 3, 5
				n := p.length()
				x, y := last(memory[0], lines*(n+apart)-apart), last(memory[1], lines*(n+apart)-apart)
				copy(x, randomLine[T](len(x)))
				var want []Number[T]
				features.Each(func(level features.Level) {
					clear(y)
					p.run(batchOf(y, n+apart), batchOf(x, n+apart), lines)
					if level == features.Portable {
						want = append(want, y...)
					}
					requireSameBits(t, want, y, "radix %d, %d transforms, rows of %d, %v", radix, count, width, level)
				})
				if width == 1 {
					continue
				}
				row := width + apart
				matrix := last(memory[0], radix*count*row-apart)
				copy(matrix, randomLine[T](len(matrix)))
				features.Each(func(level features.Level) {
					got := make([]Number[T], n)
					if !p.assembledFrom(got, unsafe.Pointer(&matrix[0]), row*size) {
						return
					}
					features.Best = features.Portable
					numbers, want := make([]Number[T], n), make([]Number[T], n)
					for i := range radix * count {
						copy(numbers[i*width:][:width], matrix[i*row:])
					}
					p.run(batchOf(want, 0), batchOf(numbers, 0), 1)
					requireSameBits(t, want, got, "radix %d, %d transforms, rows of %d from a matrix, %v", radix, count, width, level)
				})
			}
		}
	}
}

func TestMatricesHaveTheBitsOfGo(t *testing.T) {
	t.Run("float32", testMatrices[float32])
	t.Run("float64", testMatrices[float64])
}

func testMatrices[T dtype.Float](t *testing.T) {
	for _, n := range []int{64, 120, 121, 256, 360, 1000, 1024, 2000, 2048, 3 << 9, 1 << 12, 1 << 13} {
		p := newPlan[T](n, 64)
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
