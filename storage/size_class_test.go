package storage

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// classSizes are the sizes of all classes in order, the smallest first: up to 16 pages each, then 16 for every power of two.
func classSizes() (sizes []int) {
	for pages := 1; pages < 16; pages++ {
		sizes = append(sizes, pages*4096)
	}
	for power := 16 * 4096; power < 1<<62; power *= 2 {
		for step := range 16 {
			sizes = append(sizes, power+step*(power/16))
		}
	}
	return sizes
}

func TestSizesAreRoundedToTheNextClass(t *testing.T) {
	sizes := classSizes()
	require.Less(t, len(sizes)+1, classCount)
	class, most := 0, 4<<20
	if testing.Short() {
		most = 1 << 20
	}
	for bytes := 1; bytes <= most; bytes++ {
		if bytes > sizes[class] {
			class++
		}
		if got := roundToClass(bytes); got != sizes[class] {
			require.Equal(t, sizes[class], got, "%d bytes", bytes)
		}
		if bytes%classPage == 0 {
			want := class + 1
			if bytes < sizes[class] {
				want--
			}
			require.Equal(t, want, classOf(bytes), "%d bytes", bytes)
		}
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		bytes := 1 + int(random.Int64N(1<<(13+random.IntN(50))))
		i, _ := slices.BinarySearch(sizes, bytes)
		if i == len(sizes) {
			continue // beyond the last one below 2^62
		}
		require.Equal(t, sizes[i], roundToClass(bytes), "%d bytes", bytes)
		require.Equal(t, i+1, classOf(sizes[i]))
		require.LessOrEqual(t, sizes[i]-bytes, bytes/16+classPage)
	}
	for i, bytes := range sizes {
		require.Equal(t, bytes, roundToClass(bytes))
		require.Equal(t, i+1, classOf(bytes))
		if i > 0 {
			require.Equal(t, i, classOf(bytes-classPage))
			require.Equal(t, bytes, roundToClass(sizes[i-1]+1))
		}
	}
}

// A size that rounds up to more than an int holds must not come out as a small one.
func TestRoundingOfSizesThatNoSystemHas(t *testing.T) {
	for _, round := range map[string]func(int) int{
		"class": roundToClass, "power2": roundPower2(1 << 24), "multiple": func(bytes int) int { return multipleOf(bytes, 2<<20) },
	} {
		for _, base := range []int{1 << 40, 1 << 61, 1 << 62, 31 << 58, math.MaxInt} {
			for _, offset := range []int{-(1 << 50), -(1 << 24), -4097, -4096, -1, 0, 1, 4095, 4096, 1 << 24, 1 << 50} {
				bytes := base + offset
				if bytes <= 0 { // there is none such
					continue
				}
				got := round(bytes)
				require.True(t, got < bytes || got >= bytes && got-bytes <= bytes/8+1<<24, "%d becomes %d", bytes, got)
				if bytes > math.MaxInt-1<<20 {
					require.Less(t, got, bytes)
				}
			}
		}
	}
}
