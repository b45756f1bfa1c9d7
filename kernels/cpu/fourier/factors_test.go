package fourier

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFactorsMakeTheLength(t *testing.T) {
	for n := 1; n <= 5000; n++ {
		radices, rest := factors(n)
		product := rest
		for _, radix := range radices {
			require.LessOrEqual(t, radix, largestRadix)
			product *= radix
		}
		require.Equal(t, n, product)
		for radix := 2; radix <= largestRadix; radix++ {
			require.False(t, rest > 1 && rest%radix == 0, "%d has a factor that is left", n)
		}
		length := smooth(n)
		require.True(t, length >= n && length < 2*n+1, "%d: %d", n, length)
		_, left := factors(length)
		require.Equal(t, 1, left, "%d", length)
		require.Equal(t, rest == 1, isSmooth(n), "%d", n)
		if rest == 1 {
			rows := split(n)
			require.True(t, n%rows == 0 && rows*rows >= n, "%d: %d rows", n, rows)
		}
	}
	for n, rows := range map[int]int{1 << 20: 1 << 10, 1 << 15: 1 << 8, 100_000: 400, 3 << 15: 384} {
		require.Equal(t, rows, split(n))
	}
}

// Operators ask for memory before there is a plan.
func TestRoomIsKnownWithoutAPlan(t *testing.T) {
	for _, n := range []int{1, 2, 3, 37, 64, 74, 1 << 15, 1 << 16, 1<<15 + 2, 20_011, 40_022, 100_000, 99_999} {
		for _, form := range []Form{Complex, FromReal, ToReal} {
			room, isShared := Room(form, n)
			f := New[float32](form, n, false, 1)
			require.Equal(t, f.Room(), room, "%d", n)
			require.Equal(t, f.IsShared(), isShared, "%d", n)
		}
	}
}
