package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkTurned lets there be every number of rows that tiles which transpose B are cut for, and columns and terms that leave every rest.
func checkTurned[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	for m := 2; m <= 15; m++ {
		if thin() && m%5 != 0 {
			continue
		}
		for _, n := range []int{16, 17 + r.IntN(15), 48 + r.IntN(9)} {
			for _, k := range []int{8 + r.IntN(9), 32, 100 + r.IntN(17), 513 + r.IntN(40)} {
				how := [3]layout{anyLayouts(r)[0], []layout{turned, turnedWide}[r.IntN(2)], []layout{dense, wide}[r.IntN(2)]}
				newTrial(r, m, n, k, factor[T](r), factor[T](r), how).checkEverywhere(t)
			}
		}
	}
}

func TestFewRowsByColumnsThatAreAdjacentAlongKEqualTheDefinition(t *testing.T) {
	checkTurned[float32](t)
	checkTurned[float64](t)
}

// A rest of rows or columns, several blocks of k, and what follows a product give the bits of products that pack B.
func TestTilesThatTransposeBHaveTheBitsOfOthers(t *testing.T) {
	turned := &best[float32]().turned
	before := *turned
	defer func() { *turned = before }()
	r := rand.New(rand.NewPCG(37, 38))
	for round := range 60 {
		n, k := 16+r.IntN(100), 16+r.IntN(1200)
		if round%4 == 0 { // Rows of A that share a set of the first cache are packed.
			n, k = aliasedColumns+r.IntN(50), 1024*(1+r.IntN(2))
		}
		x := newTrial(r, 2+r.IntN(13), n, k, factor[float32](r), factor[float32](r), [3]layout{dense, turnedWide, wide})
		x.Finish = Finish[float32]{Plus: [2]Matrix{newPlaced[float32](r, x.M, x.N, wide).fill(r.Float32).Matrix}, Rectify: r.IntN(2) == 0}
		*turned = turnedKernel{}
		want := x.run(t, pools[1].Thread())
		*turned = before
		for _, workers := range []int{1, 2, 8} {
			require.True(t, sameBits(want, x.run(t, pools[workers].Thread())), "%d workers: %v", workers, x)
		}
	}
}

func TestFewRowsPackNothingOfColumnsThatAreAdjacentAlongK(t *testing.T) {
	height := best[float32]().turned.height
	if height == 0 {
		t.Skip("no assembly")
	}
	for _, c := range []struct {
		m, n, k int
		packs   bool
	}{
		{2, 4096, 4096, false},
		{height, 1000, 1000, false},
		{height, 1000, 1024, height >= aliasedRows}, // whose lines share a set of the first cache
		{height, aliasedColumns - 1, 1024, false},
		{height + 1, 1000, 1000, true},
		{4, 7, 1000, true}, // fewer columns than a vector has
		{4, 1000, 7, true}, // fewer terms
	} {
		p := Product[float32]{M: c.m, N: c.n, K: c.k, A: Matrix{nil, c.k, 1}, B: Matrix{nil, 1, c.k}, C: Matrix{nil, c.n, 1}}
		require.Equal(t, c.packs, p.Scratch() > 0, "%dx%dx%d", c.m, c.k, c.n)
	}
}
