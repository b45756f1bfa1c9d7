package cpu

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// checkPast writes results of all lengths to places of any alignment, and nothing beside them.
func checkPast[T dtype.Float](t *testing.T, name string, x []float64, portable func(T) T) {
	const most = 3*line + 5
	guard := T(7)
	near, past := vectorized(name, portable), vectorizedPast(name, portable)
	features.Each(func(features.Level) {
		for offset := range 17 {
			for count := range most {
				if (count+offset)%thinned(23) != 0 {
					continue
				}
				from, want := make([]T, count), make([]T, count)
				for i := range from {
					from[i] = T(x[(i+offset)%len(x)])
				}
				memory := slices.Repeat([]T{guard}, most+2*line)
				near(want, from)
				past(memory[offset:][:count], from)
				canonical(want)
				canonical(memory)
				require.Equal(t, sumOfBits(want), sumOfBits(memory[offset:][:count]), "%s of %d %T at %d", name, count, guard, offset)
				for i, v := range memory {
					if v != guard && (i < offset || i >= offset+count) {
						require.Failf(t, "memory beside the result is written", "%s of %d %T at %d writes %d", name, count, guard, offset, i)
					}
				}
			}
		}
	})
}

func TestFunctionsPastTheCachesGiveTheSameBits(t *testing.T) {
	x, r := specialNumbers(), random()
	for range 3 * line {
		x = append(x, 3*r.NormFloat64())
	}
	for _, f := range vectorFunctions {
		checkPast(t, f.name, x, f.single)
		checkPast(t, f.name, x, f.double)
	}
}
