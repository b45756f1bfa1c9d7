package gemm

import (
	"math/rand/v2"
	"testing"
)

func TestFewLastColumnsEqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 38))
	for m := foursRows; m < foursRows+4*foursHeight+4; m++ {
		for columns := 1; columns <= foursColumns+1; columns++ {
			layouts := anyLayouts(r)
			if columns%2 == 0 {
				layouts = [3]layout{dense, dense, wide}
			}
			newTrial(r, m, 16*r.IntN(5)+columns, 4*(1+r.IntN(40)), factor[float32](r), factor[float32](r), layouts).checkEverywhere(t)
		}
	}
	newTrial[float32](r, 67, 49, 1032, 0.5, 1, [3]layout{turned, dense, dense}).checkEverywhere(t) // blocks of k, from packed rows
}
