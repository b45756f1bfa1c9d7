package gemm

import (
	"math/rand/v2"
	"testing"
)

func checkLines[T Float](t *testing.T, r *rand.Rand) {
	for _, n := range []int{4, 8, 16, 32, 48, 160} {
		for _, k := range []int{32, 33, 47, 100, 600} {
			if thin() && n*k > 2000 {
				continue
			}
			for _, how := range []layout{turned, turnedWide} {
				newTrial(r, 1, n, k, factor[T](r), factor[T](r), [3]layout{anyLayouts(r)[0], how, dense}).checkEverywhere(t)
				newTrial(r, n, 1, k, factor[T](r), factor[T](r), [3]layout{[]layout{dense, wide, backwards}[r.IntN(3)], anyLayouts(r)[1], dense}).checkEverywhere(t)
			}
		}
	}
}

// A row times columns that are adjacent along k is computed in squares that are transposed in registers.
func TestSingleRowsAndColumnsEqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	checkLines[float32](t, r)
	checkLines[float64](t, r)
}
