package cpu

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

func checkNarrowSums[T narrow](t *testing.T, smallest, largest T) {
	r := random()
	values := map[string]func() T{
		"any": func() T { return T(r.Uint64()) }, "smallest": func() T { return smallest }, "largest": func() T { return largest },
		"either": func() T { return []T{smallest, largest}[r.IntN(2)] },
	}
	counts := []int{70_000, 1 << 20}
	for n := range 600 {
		counts = append(counts, n)
	}
	for about, value := range values {
		memory := make([]T, 1<<20+7)
		for i := range memory {
			memory[i] = value()
		}
		for _, count := range counts {
			x, want := memory[count%7:][:count], int64(0)
			for _, v := range x {
				want += int64(v)
			}
			features.Each(func(level features.Level) {
				got := sumOfNarrow[T](unsafe.Pointer(unsafe.SliceData(x)), count)
				require.True(t, want == got, "%d elements %T, %s, on %v: %d, not %d", count, smallest, about, level, got, want)
			})
		}
	}
}

func TestSumsOfNarrowIntegersAreExact(t *testing.T) {
	checkNarrowSums[int8](t, -1<<7, 1<<7-1)
	checkNarrowSums[int16](t, -1<<15, 1<<15-1)
	checkNarrowSums[int32](t, -1<<31, 1<<31-1)
	checkNarrowSums[uint8](t, 0, 1<<8-1)
	checkNarrowSums[uint16](t, 0, 1<<16-1)
	checkNarrowSums[uint32](t, 0, 1<<32-1)
}

func checkCounts[T dtype.Number](t *testing.T, d dtype.DType, leaf func(w *workspace, x []T, first int) int64, some func(r *rand.Rand) T) {
	r, w := random(), new(workspace)
	for _, count := range []int{1, 63, 64, 65, 257, loaded - 1, loaded, loaded + 1, 3*loaded + 77} {
		x := make([]T, count)
		for i := range x {
			if r.IntN(3) > 0 {
				x[i] = some(r)
			}
		}
		want := leaf(w, x, 0)
		features.Each(func(level features.Level) {
			require.Equal(t, want, countingBools(d, leaf)(w, x, 0), "%d elements %v on %v", count, d, level)
		})
	}
}

func TestElementsThatAreNotZeroAreCountedAsOneByOne(t *testing.T) {
	checkCounts(t, dtype.Bool, nonzero[uint8], func(*rand.Rand) uint8 { return 1 })
	checkCounts(t, dtype.Int8, nonzero[uint8], func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })
	checkCounts(t, dtype.Float16, halvesNonzero, func(r *rand.Rand) uint16 { return uint16(r.IntN(3)) << 14 })
	checkCounts(t, dtype.Uint64, nonzero[uint64], func(r *rand.Rand) uint64 { return r.Uint64N(3) << 62 })
	checkCounts(t, dtype.Float32, nonzero[float32], func(r *rand.Rand) float32 { return []float32{0, -1, 1e-45}[r.IntN(3)] })
	checkCounts(t, dtype.Complex64, nonzero[complex64], func(r *rand.Rand) complex64 { return complex(0, float32(r.IntN(2))) })
}

func TestAnElementThatIsZeroIsFoundWhereverItIs(t *testing.T) {
	w, all := new(workspace), missingNone[float32](dtype.Float32)
	x := make([]float32, 3*loaded)
	for i := range x {
		x[i] = 1
	}
	features.Each(func(level features.Level) {
		require.True(t, all(w, x, 0), level)
		for _, at := range []int{0, leaf - 1, leaf, 3*leaf - 1, 3 * leaf, loaded - 1, loaded, 2 * loaded, len(x) - 1} {
			x[at] = 0
			require.False(t, all(w, x, 0), "at %d on %v", at, level)
			x[at] = 1
		}
	})
}
