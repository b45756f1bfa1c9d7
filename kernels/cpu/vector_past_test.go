package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// TestFunctionsPastTheCachesGiveTheSameBits writes results of all lengths to places of any alignment, and nothing beside them.
func TestFunctionsPastTheCachesGiveTheSameBits(t *testing.T) {
	const most, guard = 3*line + 5, float32(7)
	x, r := specialNumbers(), random()
	for range most {
		x = append(x, 3*r.NormFloat64())
	}
	for _, f := range vectorFunctions {
		features.Each(func(features.Level) {
			near, past := vectorized(f.name, f.single), vectorizedPast(f.name, f.single)
			for offset := range 17 {
				for count := range most {
					if (count+offset)%thinned(23) != 0 {
						continue
					}
					from, want := make([]float32, count), make([]float32, count)
					for i := range from {
						from[i] = float32(x[(i+offset)%len(x)])
					}
					memory := make([]float32, most+2*line)
					for i := range memory {
						memory[i] = guard
					}
					near(want, from)
					past(memory[offset:][:count], from)
					canonical(want)
					canonical(memory)
					require.Equal(t, sumOfBits(want), sumOfBits(memory[offset:][:count]), "%s of %d at %d", f.name, count, offset)
					for i, v := range memory {
						if v != guard && (i < offset || i >= offset+count) {
							require.Failf(t, "memory beside the result is written", "%s of %d at %d writes %d", f.name, count, offset, i)
						}
					}
				}
			}
		})
	}
}
