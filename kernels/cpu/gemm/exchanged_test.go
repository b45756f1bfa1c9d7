package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// exchanging lets A and B be exchanged where that does not pay, in products of as few terms, while run runs.
func exchanging(terms int, run func()) {
	defer func(terms, gain int) { exchangedTerms, exchangedGain = terms, gain }(exchangedTerms, exchangedGain)
	exchangedTerms, exchangedGain = terms, 0
	run()
}

func checkExchanged[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(39, 40))
	for _, m := range []int{8, 16, 24, 32, 40, 64, 96} {
		if thin() && m%16 != 0 {
			continue
		}
		for _, k := range []int{20, 256, 513 + r.IntN(40)} {
			how := [3]layout{anyLayouts(r)[0], []layout{turned, turnedWide}[r.IntN(2)], []layout{dense, wide}[r.IntN(2)]}
			newTrial[T](r, m, 2*m+r.IntN(70), k, 1, 0, how).checkEverywhere(t)
		}
	}
}

func TestProductsWithAAndBExchangedEqualTheDefinition(t *testing.T) {
	exchanging(16, func() {
		checkExchanged[float32](t)
		checkExchanged[float64](t)
	})
}

func TestProductsWithAAndBExchangedHaveTheBitsOfOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for round := range 40 {
		m, k, b := 16*(1+r.IntN(8)), 256+r.IntN(1000), turnedWide
		if round%4 == 0 {
			k, b = 1024, turned // B's columns share a set of the first cache.
		}
		x := newTrial[float32](r, m, m+1+r.IntN(2*m), k, 1, 0, [3]layout{anyLayouts(r)[0], b, wide})
		x.Finish = Finish[float32]{Plus: [2]Matrix{newPlaced[float32](r, x.M, x.N, anyLayouts(r)[0]).fill(r.Float32).Matrix}, Rectify: r.IntN(2) == 0}
		var want []float32
		exchanging(x.K+1, func() { want = x.run(t, pools[1].Thread()) })
		for _, workers := range []int{1, 2, 8} {
			exchanging(x.K, func() {
				require.True(t, sameBits(want, x.run(t, pools[workers].Thread())), "%d workers: %v", workers, x)
			})
		}
	}
}

func TestAAndBAreExchangedWhereRowsFillVectors(t *testing.T) {
	f := best[float32]()
	for _, c := range []struct {
		m, n, k int
		want    bool
	}{
		{2 * f.lanes, 1000, 1000, true},
		{2*f.lanes + 1, 1000, 1000, false},
		{2 * f.lanes, 2*f.lanes + 1, 500, false}, // to pack B takes as long as to pack A
		{2 * f.lanes, 1000, 255, false},
		{256, 1000, 1000, false},
		{64, 4096, 4096, true},
		{128, 4096, 4096, !features.Intel}, // crowded
	} {
		p := Product[float32]{M: c.m, N: c.n, K: c.k, Alpha: 1, A: Matrix{nil, c.k, 1}, B: Matrix{nil, 1, c.k}, C: Matrix{nil, c.n, 1}}
		require.Equal(t, c.want && f.kernels != nil, p.exchanges(), "%dx%dx%d", c.m, c.k, c.n)
		p.Beta = 1
		require.False(t, p.exchanges())
	}
}
