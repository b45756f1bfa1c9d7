package distribution

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/philox"
)

func TestNormalHasItsMomentsAndDistribution(t *testing.T) {
	count := samples()
	for name, values := range map[string][]float64{
		"float32": asDoubles(drawn(Normal.Float32, count, 5, 6, 0, 1)),
		"float64": drawn(Normal.Float64, count, 5, 6, 0, 1),
	} {
		t.Run(name, func(t *testing.T) {
			var moments [9]float64
			for _, v := range values {
				power := 1.0
				for i := range moments {
					moments[i] += power / float64(count)
					power *= v
				}
			}
			for i, want := range []float64{1, 0, 1, 0, 3, 0, 15, 0, 105} {
				// The variance of the mean of the powers is the moment of twice the order, less a square.
				deviation := math.Sqrt([]float64{0, 1, 2, 15, 96, 945, 10170, 135135, 2016000}[i] / float64(count))
				require.InDelta(t, want, moments[i], 1e-9+4*deviation, "moment %d", i)
			}
			require.Less(t, kolmogorovSmirnov(values, func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }), 1.95) // 1 in 10^3
			for _, far := range []float64{2, 3, 4, 4.5} {
				want, beyond := math.Erfc(far/math.Sqrt2)*float64(count), 0.0
				for _, v := range values {
					if math.Abs(v) > far {
						beyond++
					}
				}
				require.InDelta(t, want, beyond, 4*math.Sqrt(want), "beyond %v", far)
			}
			radii := make([]float64, 0, count/2)
			angles := make([]float64, 0, count/2)
			for pair := range slices.Chunk(values, 2) {
				radii = append(radii, math.Hypot(pair[0], pair[1]))
				angles = append(angles, math.Atan2(pair[1], pair[0]))
			}
			require.Less(t, kolmogorovSmirnov(radii, func(r float64) float64 { return -math.Expm1(-r * r / 2) }), 1.95)
			require.Less(t, kolmogorovSmirnov(angles, func(a float64) float64 { return a/(2*math.Pi) + 0.5 }), 1.95)
		})
	}
}

func TestNormalTakesMeanAndDeviation(t *testing.T) {
	standard := drawn(Normal.Float64, 3001, 5, 6, 0, 1)
	for i, v := range drawn(Normal.Float64, 3001, 5, 6, 10, 3) {
		require.InDelta(t, 10+3*standard[i], v, 1e-13)
	}
	standard = asDoubles(drawn(Normal.Float32, 3001, 5, 6, 0, 1))
	for i, v := range asDoubles(drawn(Normal.Float32, 3001, 5, 6, 10, 3)) {
		require.InDelta(t, 10+3*standard[i], v, 4e-6)
	}
	for _, v := range drawn(Normal.Float32, 100, 5, 6, 10, 0) {
		require.Equal(t, float32(10), v)
	}
}

// exactNormal32 is what normal is documented to be for float32, and the radius.
func exactNormal32(words [2]uint32) (values [2]float64, radius float64) {
	radius = math.Sqrt(-2 * math.Log((float64(words[0])+0.5)*0x1p-32))
	sine, cosine := math.Sincos(2 * math.Pi * 0x1p-32 * float64(words[1]))
	return [2]float64{radius * cosine, radius * sine}, radius
}

func TestNormalIsTheDocumentedFunctionOfKeyAndElement(t *testing.T) {
	const key, sequence = -5, 1 << 40
	singles := drawn(Normal.Float32, 100_001, key, sequence, 0, 1)
	for i, got := range singles {
		block := philox.Block(uint64(1<<64+key), philox.Counter(sequence, uint64(i/4), 0))
		want, radius := exactNormal32([2]uint32(block[i%4/2*2:]))
		require.InDelta(t, want[i%2], float64(got), 5*radius*0x1p-24, "element %d", i)
	}
	for i, got := range drawn(Normal.Float64, 10_001, key, sequence, 0, 1) {
		a, b := Source{uint64(1<<64 + key), sequence}.pair(uint64(i/2), 0)[0], Source{uint64(1<<64 + key), sequence}.pair(uint64(i/2), 0)[1]
		radius := math.Sqrt(-2 * math.Log(1-float64(a>>11)*0x1p-53))
		sine, cosine := math.Sincos(2 * math.Pi * float64(b>>11) * 0x1p-53)
		require.InDelta(t, []float64{radius * cosine, radius * sine}[i%2], got, 1e-14, "element %d", i)
	}
}

// edgeWords are the words where something changes: zero and the powers of two, the eighths of a turn and the ends of the
// octaves of the logarithm, with their neighbours.
func edgeWords() []uint32 {
	var words []uint32
	centers := []float64{0}
	for bit := range 33 {
		centers = append(centers, math.Ldexp(1, bit), math.Ldexp(math.Sqrt2, bit-1), math.Ldexp(1, 32)-math.Ldexp(1, bit))
	}
	for eighth := range 8 {
		centers = append(centers, float64(eighth)*0x1p29)
	}
	for _, center := range centers {
		for near := range int64(9) {
			words = append(words, uint32(int64(center)+near-4))
		}
	}
	return words
}

func TestLogarithm32IsPreciseEverywhere(t *testing.T) {
	check := func(word uint32) {
		want, got := math.Log((float64(word)+0.5)*0x1p-32), float64(logarithm32(word))
		require.InDelta(t, 1, got/want, 3*0x1p-23, "word %#x: want %v, got %v", word, want, got)
	}
	for _, word := range edgeWords() {
		check(word)
	}
	r := random()
	for range 100_000 {
		check(r.Uint32())
		check(r.Uint32() >> r.IntN(32))
		check(^(r.Uint32() >> r.IntN(32)))
	}
}

func TestSineOfTurn32IsPreciseEverywhere(t *testing.T) {
	check := func(word uint32) {
		sine, cosine := sineOfTurn32(word)
		want, other := math.Sincos(2 * math.Pi * 0x1p-32 * float64(word))
		require.InDelta(t, want, float64(sine), 2*0x1p-23*math.Abs(want)+1e-15, "sine of %#x", word)
		require.InDelta(t, other, float64(cosine), 2*0x1p-23*math.Abs(other)+1e-15, "cosine of %#x", word)
	}
	for _, word := range edgeWords() {
		check(word)
	}
	r := random()
	for range 100_000 {
		check(r.Uint32())
	}
}

func TestNormalOfTheExtremeWords(t *testing.T) {
	x, y := boxMuller32(0, 0)
	require.InDelta(t, math.Sqrt(2*33*math.Ln2), float64(x), 1e-6)
	require.Zero(t, y)
	x, y = boxMuller32(math.MaxUint32, 0)
	require.InDelta(t, 0x1p-16, float64(x), 1e-12)
	require.Zero(t, y)
	a, b := boxMuller(math.MaxUint64, 0)
	require.InDelta(t, math.Sqrt(2*53*math.Ln2), a, 1e-14)
	require.Zero(t, b)
	a, b = boxMuller(0, 1<<61)
	require.Zero(t, a)
	require.Zero(t, b)
}

func TestNormalUsesExactElementaryFunctions(t *testing.T) {
	r := random()
	for range 100_000 {
		x := float64(r.Uint64()>>11+1) * 0x1p-53 * math.Ldexp(1, -r.IntN(3)*17)
		require.InDelta(t, math.Log(x), naturalLog(x), 1e-15*math.Max(1, -math.Log(x)))
		turn := r.Float64()
		sine, cosine := sineOfTurn(turn)
		require.InDelta(t, math.Sin(2*math.Pi*turn), sine, 2e-15)
		require.InDelta(t, math.Cos(2*math.Pi*turn), cosine, 2e-15)
	}
	require.Zero(t, naturalLog(1))
}
