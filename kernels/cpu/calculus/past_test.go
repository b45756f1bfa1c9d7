package calculus

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/levelstest"
)

// checkPast writes results of all lengths to places of any alignment, and nothing beside them.
func checkPast[T dtype.Float](t *testing.T, name string, x []float64, near, past func(dst, x []T)) {
	const most = 3*cacheLine + 5
	guard := T(7)
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
				memory := slices.Repeat([]T{guard}, most+2*cacheLine)
				near(want, from)
				past(memory[offset:][:count], from)
				canonical(want)
				canonical(memory)
				require.Equal(t, levelstest.SumOfBits(want), levelstest.SumOfBits(memory[offset:][:count]), "%s of %d %T at %d", name, count, guard, offset)
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
	x, r := levelstest.SpecialNumbers(), random()
	for range 3 * cacheLine {
		x = append(x, 3*r.NormFloat64())
	}
	for _, f := range vectorFunctions {
		checkPast(t, f.name, x, f.all.Float32, f.all.Past32)
		checkPast(t, f.name, x, f.all.Float64, f.all.Past64)
	}
}
