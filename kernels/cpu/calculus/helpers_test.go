package calculus

import (
	"math"
	"math/rand/v2"
	"testing"
)

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// sameSpecial reports whether got is want; of zeros, the sign counts.
func sameSpecial(got, want float64) bool {
	return got != got && want != want || got == want && math.Signbit(got) == math.Signbit(want)
}

// thinned is one, or step where tests are to be short.
func thinned(step int) int {
	if testing.Short() {
		return step
	}
	return 1
}
