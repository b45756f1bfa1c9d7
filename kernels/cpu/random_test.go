package cpu

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/philox"
	"github.com/weft-nd/weft/parallel"
)

func drawn[T dtype.Element](t *testing.T, operator string, shape []int, how layout, key, sequence int64, scalars ...float64) []T {
	dst := newView(random(), dtype.Of[T](), shape, how)
	run(t, name[T](operator), &device.Arguments{Outputs: views(dst), Integers: []int64{key, sequence}, Scalars: scalars})
	return elements[T](dst)
}

func TestUniformIsTheDocumentedFunctionOfKeyAndElement(t *testing.T) {
	const key, sequence = -5, 1 << 40
	for _, how := range outputLayouts {
		for e, got := range drawn[float32](t, "uniform", []int{7, 333}, how, key, sequence, -1, 3) {
			block := philox.Block(uint64(1<<64+key), philox.Counter(sequence, uint64(e/4), 0))
			require.Equal(t, float32(-1+4*(float64(block[e%4]>>8)/(1<<24))), got)
		}
		for e, got := range drawn[float64](t, "uniform", []int{7, 333}, how, key, sequence, -1, 3) {
			block := philox.Block(uint64(1<<64+key), philox.Counter(sequence, uint64(e/2), 0))
			bits := uint64(block[2*(e%2)])<<32 | uint64(block[2*(e%2)+1])
			require.Equal(t, -1+4*(float64(bits>>11)/(1<<53)), got)
		}
	}
}

func TestUniformStaysBelowHigh(t *testing.T) {
	low, high := float64(float32(1)), float64(math.Nextafter32(1, 2))
	for _, v := range drawn[float32](t, "uniform", []int{10000}, rowMajor, 1, 2, low, high) {
		require.Equal(t, float32(1), v)
	}
	for _, v := range drawn[float32](t, "uniform", []int{10000}, rowMajor, 1, 2, 0, 0.1) {
		require.Less(t, float64(v), 0.1)
	}
	require.Equal(t, []float64{2, 2, 2}, drawn[float64](t, "uniform", []int{3}, rowMajor, 1, 2, 2, 2))
}

func TestUniformFillsItsIntervalEvenly(t *testing.T) {
	const count, bins = 200_000, 50
	for _, values := range [][]float64{
		drawn[float64](t, "uniform", []int{count}, rowMajor, 3, 4, 0, 1), widened(drawn[float32](t, "uniform", []int{count}, rowMajor, 3, 4, 0, 1)),
	} {
		var found [bins]float64
		for _, v := range values {
			found[int(v*bins)]++
		}
		require.Less(t, chiSquare(found[:], count/bins), 95.0) // 49 degrees of freedom: 1 in 10^4
	}
}

func widened(x []float32) []float64 {
	result := make([]float64, len(x))
	for i, v := range x {
		result[i] = float64(v)
	}
	return result
}

func chiSquare(found []float64, expected float64) float64 {
	sum := 0.0
	for _, n := range found {
		sum += (n - expected) * (n - expected) / expected
	}
	return sum
}

func TestNormalHasItsMomentsAndDistribution(t *testing.T) {
	const count, bins = 200_000, 40
	values := drawn[float64](t, "normal", []int{count}, rowMajor, 5, 6, 0, 1)
	var found [bins]float64
	var moments [5]float64
	for _, v := range values {
		found[int(bins*math.Erfc(-v/math.Sqrt2)/2)]++
		for i := range moments {
			moments[i] += math.Pow(v, float64(i)) / count
		}
	}
	require.Less(t, chiSquare(found[:], count/bins), 82.0) // 39 degrees of freedom: 1 in 10^4
	for i, want := range []float64{1, 0, 1, 0, 3} {
		require.InDelta(t, want, moments[i], 0.05, "moment %d", i)
	}
	single := drawn[float32](t, "normal", []int{count}, scattered, 5, 6, 0, 1)
	scaled := drawn[float64](t, "normal", []int{count}, rowMajor, 5, 6, 10, 3)
	for i, v := range values {
		require.Equal(t, float32(v), single[i])
		require.InDelta(t, 10+3*v, scaled[i], 1e-13)
	}
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

func TestRandomDoesNotDependOnWorkersOrLayout(t *testing.T) {
	for _, operator := range []string{"uniform", "normal"} {
		draw := func(how layout) []float64 {
			return sameBits[float64](t, func(thread *parallel.Thread) device.View {
				dst := newView(random(), dtype.Float64, []int{300, 401}, how)
				require.NoError(t, call(t, thread, operator+"/float64", &device.Arguments{
					Outputs: views(dst), Integers: []int64{1, 2}, Scalars: []float64{0, 1},
				}))
				return dst
			})
		}
		require.Equal(t, draw(rowMajor), draw(scattered))
	}
}

func TestKeysAndSequencesAreDifferentStreams(t *testing.T) {
	base := drawn[float32](t, "uniform", []int{1000}, rowMajor, 1, 1, 0, 1)
	for _, other := range [][]float32{
		drawn[float32](t, "uniform", []int{1000}, rowMajor, 2, 1, 0, 1), drawn[float32](t, "uniform", []int{1000}, rowMajor, 1, 2, 0, 1),
	} {
		equal := 0
		for i := range base {
			if base[i] == other[i] {
				equal++
			}
		}
		require.Less(t, equal, 3)
	}
}

func TestRandomOfNothing(t *testing.T) {
	require.Empty(t, drawn[float32](t, "uniform", []int{3, 0}, rowMajor, 1, 1, 0, 1))
	require.Empty(t, drawn[float64](t, "normal", []int{0}, rowMajor, 1, 1, 0, 1))
	require.Empty(t, drawn[int64](t, "permutation", []int{0}, rowMajor, 1, 1))
	require.Len(t, drawn[float32](t, "uniform", []int{}, rowMajor, 1, 1, 0, 1), 1)
}

func TestPermutationIsUniformOverAllOrders(t *testing.T) {
	const rounds = 24_000
	found := map[[4]int64]float64{}
	for sequence := range int64(rounds) {
		found[[4]int64(drawn[int64](t, "permutation", []int{4}, layout(sequence%2), 9, sequence))]++
	}
	require.Len(t, found, 24)
	var counts []float64
	for order, count := range found {
		seen := [4]bool{}
		for _, i := range order {
			seen[i] = true
		}
		require.Equal(t, [4]bool{true, true, true, true}, seen)
		counts = append(counts, count)
	}
	require.Less(t, chiSquare(counts, rounds/24), 56.0) // 23 degrees of freedom: 1 in 10^4
	order := drawn[int64](t, "permutation", []int{5000}, scattered, 1, 1)
	seen := map[int64]bool{}
	for _, i := range order {
		require.True(t, i >= 0 && i < 5000 && !seen[i])
		seen[i] = true
	}
}
