package gemm

import (
	"math/rand/v2"
	"testing"
)

func checkRows[T Float](t *testing.T, r *rand.Rand) {
	for _, n := range []int{4, 7, 8, 16, 21, 45, 48, 160, 301, 1100} {
		for _, k := range []int{3, 32, 33, 47, 100, 600, 1025, 1300} {
			if thin() && n*k > 2000 || n*k > 100_000 && n*k != 1100*600 {
				continue
			}
			for _, how := range []layout{turned, turnedWide, dense, page} {
				newTrial(r, 1, n, k, factor[T](r), factor[T](r), [3]layout{anyLayouts(r)[0], how, dense}).checkEverywhere(t)
			}
			newTrial(r, n, 1, k, factor[T](r), factor[T](r), [3]layout{[]layout{dense, wide, backwards, turned, turnedWide}[r.IntN(5)], anyLayouts(r)[1], dense}).checkEverywhere(t)
		}
	}
}

// A row times columns that are adjacent along k is computed in squares that are transposed in registers, and times long rows by
// several of them at a time.
func TestSingleRowsAndColumnsEqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	checkRows[float32](t, r)
	checkRows[float64](t, r)
}
