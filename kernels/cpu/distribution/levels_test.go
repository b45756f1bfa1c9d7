package distribution

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/levelstest"
)

// awkwardWords are many pairs of words with extreme ones among them, in every combination.
func awkwardWords() []uint32 {
	var words []uint32
	edges := edgeWords()
	r := random()
	for _, first := range edges {
		words = append(words, first, edges[r.IntN(len(edges))], edges[r.IntN(len(edges))], first, first, r.Uint32(), r.Uint32(), first)
	}
	for range 20_000 {
		words = append(words, r.Uint32(), r.Uint32()>>r.IntN(32), ^(r.Uint32() >> r.IntN(32)), r.Uint32())
	}
	return words[:len(words)/(4*grain)*(4*grain)]
}

func TestNormalHasEqualBitsAtAllLevels(t *testing.T) {
	words := awkwardWords()
	scales := [][2]float64{{0, 1}, {1, 2}, {-3, 1e-3}, {1e6, 0}, {0, 1e-44}, {math.MaxFloat32, math.MaxFloat32}, {math.Copysign(0, -1), 0}}
	for _, c := range scales {
		levelstest.RequireEqual(t, len(words), func(x []float32) {
			copy(wordsOf(x), words)
			toNormal32(x, float32(c[0]), float32(c[1]))
		}, c)
		levelstest.RequireEqual(t, len(words)/2, func(x []float64) {
			copy(wordsOf(x), words)
			toNormal64(x, c[0], c[1])
		}, c)
	}
}

func TestUniformHasEqualBitsAtAllLevels(t *testing.T) {
	for _, c := range intervals {
		levelstest.RequireEqual(t, 20_000, func(x []float32) { uniform32(x, Source{1, 2}, 512, c[:]) }, c)
		levelstest.RequireEqual(t, 20_000, func(x []float64) { uniform64(x, Source{1, 2}, 512, c[:]) }, c)
	}
}

func TestDistributionsHaveEqualBitsAtAllLevelsForEverySizeAndPlace(t *testing.T) {
	r := random()
	for count := range 301 {
		s, first := Source{r.Uint64(), r.Uint64()}, r.Uint64()%(1<<46)*BlockSize
		levelstest.RequireEqual(t, count, func(x []float32) { uniform32(x, s, first, []float64{-1, 2}) }, s, first)
		levelstest.RequireEqual(t, count, func(x []float64) { uniform64(x, s, first, []float64{-1, 2}) }, s, first)
		levelstest.RequireEqual(t, count, func(x []float32) { normal32(x, s, first, []float64{-1, 2}) }, s, first)
		levelstest.RequireEqual(t, count, func(x []float64) { normal64(x, s, first, []float64{-1, 2}) }, s, first)
	}
}

func TestDistributionsHaveEqualBitsWhereTheBlockNumberCarries(t *testing.T) {
	for _, block := range []uint64{1 << 32, 3 << 32, 1 << 47, 1 << 48} {
		for before := range uint64(3) {
			singles, doubles := 4*block-before*BlockSize, 2*block-before*BlockSize
			levelstest.RequireEqual(t, 1500, func(x []float32) { uniform32(x, Source{1, 2}, singles, []float64{0, 1}) }, block)
			levelstest.RequireEqual(t, 1500, func(x []float64) { uniform64(x, Source{1, 2}, doubles, []float64{0, 1}) }, block)
			levelstest.RequireEqual(t, 1500, func(x []float32) { normal32(x, Source{1, 2}, singles, []float64{0, 1}) }, block)
			levelstest.RequireEqual(t, 1500, func(x []float64) { normal64(x, Source{1, 2}, doubles, []float64{0, 1}) }, block)
		}
	}
}

// intervals are bounds of uniform numbers, with ends that float32 has not and that make results round to an end.
var intervals = [][2]float64{
	{0, 1}, {-1, 1}, {-1, 0}, {-3, 5}, {0, 0x1p-90}, {-0x1p120, 0}, {-0.5, 0x1p100}, {0, 0x1p-125}, {0x1p-24, 1 + 0x1p-24}, {1, 2}, {0.1, 0.3}, {1, float64(math.Nextafter32(1, 2))}, {5, 5}, {-1e-44, 1e-45}, {0, 1e-310}, {-1e-60, 1e-60},
	{math.Copysign(0, -1), 0}, {-math.MaxFloat32, math.MaxFloat32}, {-8e307, 8e307}, {1e30, 1.5e30},
}

// The same bits on every processor: the sums were computed once, by portable Go.
func TestDistributionsHaveTheSameBitsEverywhere(t *testing.T) {
	const count = 100_003
	for name, c := range map[string]struct {
		of   Continuous
		want [2]string
	}{
		"uniform": {Uniform, [2]string{"0x99765b196e8a5cfb", "0x87d8e6440e917842"}},
		"normal":  {Normal, [2]string{"0xa7317a411d8e3ecc", "0xf8a39b7d319e5a3f"}},
	} {
		singles := drawn(c.of.Float32, count, 7, 1<<33, -1, 2.3)
		doubles := drawn(c.of.Float64, count, 7, 1<<33, -1, 2.3)
		require.Equal(t, c.want, [2]string{levelstest.SumOfBits(singles), levelstest.SumOfBits(doubles)}, name)
	}
}

// Every size, so that the ends of arrays, which go another way than the rest, agree with the whole.
func TestDistributionsOfEverySizeAreTheBeginningsOfOneStream(t *testing.T) {
	const count = 600
	sizes := make([]int, 0, 310)
	for n := range 301 {
		sizes = append(sizes, n)
	}
	for _, of := range []Continuous{Uniform, Normal} {
		singles := drawn(of.Float32, count, 1, 2, 0, 1)
		doubles := drawn(of.Float64, count, 1, 2, 0, 1)
		for _, n := range append(sizes, 511, 512, 513, 543, 544) {
			require.Equal(t, singles[:n], drawn(of.Float32, n, 1, 2, 0, 1))
			require.Equal(t, doubles[:n], drawn(of.Float64, n, 1, 2, 0, 1))
		}
	}
}

func BenchmarkDistributions(b *testing.B) {
	const count = 4096
	singles, doubles := make([]float32, count), make([]float64, count)
	scalars := []float64{0, 1}
	features.Each(func(level features.Level) {
		for name, run := range map[string]func(){
			"uniform/float32":  func() { uniform32(singles, Source{1, 2}, 0, scalars) },
			"interval/float32": func() { uniform32(singles, Source{1, 2}, 0, []float64{0, 0.1}) },
			"uniform/float64":  func() { uniform64(doubles, Source{1, 2}, 0, scalars) },
			"normal/float32":   func() { normal32(singles, Source{1, 2}, 0, scalars) },
			"normal/float64":   func() { normal64(doubles, Source{1, 2}, 0, scalars) },
		} {
			b.Run(fmt.Sprintf("%s/%v", name, level), func(b *testing.B) {
				for b.Loop() {
					run()
				}
				b.ReportMetric(count*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
			})
		}
	})
}
