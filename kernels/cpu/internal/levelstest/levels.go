package levelstest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// RequireEqual tells whether compute gives the same bits at every level, at places with any alignment, and writes nothing
// around them.
func RequireEqual[T dtype.Float](t *testing.T, count int, compute func(x []T), about ...any) {
	t.Helper()
	const margin, canary = 17, 1234.5
	var want []uint32
	features.Each(func(level features.Level) {
		for shift := range 4 {
			if level == features.Portable && shift > 0 {
				break // Go does not care where an element lies
			}
			memory := slices.Repeat([]T{canary}, margin+shift+count+margin)
			x := memory[margin+shift:][:count]
			compute(x)
			got := slices.Clone(Words(x))
			if level == features.Portable {
				want = got
			}
			if !slices.Equal(want, got) {
				i := 0
				for want[i] == got[i] {
					i++
				}
				require.Failf(t, "levels differ", "%v, shift %d: word %d of %d elements; %v", level, shift, i, count, about)
			}
			for i := range margin {
				require.Equal(t, T(canary), memory[i], "written before the beginning")
				require.Equal(t, T(canary), memory[len(memory)-1-i], "written behind the end")
			}
		}
	})
}
