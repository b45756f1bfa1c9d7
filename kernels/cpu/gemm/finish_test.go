package gemm

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// checkFinish requires that a product with a Finish has the bits of one without to whose elements the same is done one by one.
func checkFinish[T Float](t *testing.T, r *rand.Rand, m, n, k int) {
	x := newTrial(r, m, n, k, factor[T](r), factor[T](r), anyLayouts(r))
	want := x.run(t, pools[1].Thread())
	f := &x.Finish
	for i := range f.Plus {
		plus := newPlaced[T](r, m, n, layout(r.IntN(int(layouts))))
		switch r.IntN(4) {
		case 0:
			continue
		case 1:
			plus.RowStride = 0
		case 2:
			plus.ColumnStride = 0
		}
		f.Plus[i] = plus.fill(func() T { return T(r.NormFloat64()) }).Matrix
		for j := range want {
			want[j] += *plus.at(j/n, j%n)
		}
	}
	if f.Rectify = r.IntN(2) == 0; f.Rectify {
		for j, v := range want {
			want[j] = max(v, 0)
		}
	}
	if r.IntN(2) == 0 {
		f.Then = func(c []T) {
			for j, v := range c {
				c[j] = T(v*v) + 1
			}
		}
		f.Then(want)
	}
	features.Each(func(level features.Level) {
		for _, workers := range []int{1, 2} {
			if got := x.run(t, pools[workers].Thread()); !sameBits(want, got) {
				require.Failf(t, "other bits", "%v, %d workers, %+v: %v", level, workers, *f, x)
			}
		}
	})
}

func TestFinishHasTheBitsOfWhatFollowsTheProduct(t *testing.T) {
	packed, direct := packedBytes, directBytes
	defer func() { packedBytes, directBytes = packed, direct }()
	r := rand.New(rand.NewPCG(23, 24))
	most, rounds := 80, 40
	if thin() {
		most, rounds = 40, 12
	}
	for range rounds {
		for _, packedBytes = range []int{packed, 20_000} {
			directBytes = r.IntN(20_000)
			checkFinish[float32](t, r, 1+r.IntN(most), 1+r.IntN(most), r.IntN(most))
			checkFinish[float64](t, r, 1+r.IntN(most), 1+r.IntN(most), r.IntN(most))
		}
	}
	checkFinish[float32](t, r, 1, 1, 9)
	checkFinish[float32](t, r, 17, 5, 1100) // several blocks of k
	checkFinish[float64](t, r, 9, 70, 600)
}

func TestRectifiedExtremes(t *testing.T) {
	infinity, negative := float32(math.Inf(1)), float32(math.Copysign(0, -1))
	features.Each(func(level features.Level) {
		c := []float32{float32(math.NaN()), negative, 0, -1, 1, infinity, -infinity}
		at := Matrix{unsafe.Pointer(&c[0]), len(c), 1}
		p := Product[float32]{M: 1, N: len(c), K: 1, Beta: 1, A: at, B: at, C: at, Finish: Finish[float32]{Rectify: true}}
		p.Run(pools[1].Thread(), nil) // With an Alpha of zero neither A nor B is read.
		require.True(t, sameBits([]float32{float32(math.NaN()), 0, 0, 0, 1, infinity, 0}, c), "%v: %v", level, c)
	})
}
