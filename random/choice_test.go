package random_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/combin"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// requireOutcomes compares how often each row of x came with what is expected of each.
func requireOutcomes(t *testing.T, x []int64, length int, probabilities map[string]float64) {
	t.Helper()
	counts, n := map[string]float64{}, float64(len(x)/length)
	for row := range slices.Chunk(x, length) {
		counts[fmt.Sprint(row)]++
	}
	expected, found, total := []float64{}, []float64{}, 0.0
	for outcome, probability := range probabilities {
		expected, found = append(expected, probability*n), append(found, counts[outcome])
		total += probability
		delete(counts, outcome)
	}
	require.InDelta(t, 1, total, 1e-12)
	require.Empty(t, counts, "outcomes that cannot be")
	requireChiSquare(t, expected, found)
}

func TestCategoriesComeWithTheirWeights(t *testing.T) {
	t.Parallel()
	weights := []float64{3, 0, 1, 1e-3, 0, 4, 0.5, 0}
	logits := make([]float64, len(weights))
	for i, w := range weights {
		logits[i] = math.Log(w) + 1000
	}
	n := sampleSize()
	for name, x := range map[string]*nd.Array{
		"float64": random.Categorical(nd.FromSliceIn(seeded(1), weights), n),
		"float16": random.Categorical(nd.FromSliceIn(seeded(4), weights).Cast(dtype.Float16), n/10),
		"float32": random.Categorical(nd.FromSliceIn(seeded(2), weights).Cast(dtype.Float32), n/10, 10),
		"logits":  random.CategoricalLogits(nd.FromSliceIn(seeded(3), logits), n),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireMass(t, values[int64](t, x), 0, 7, func(k int64) float64 { return weights[k] / 8.501 })
		})
	}
}

// TestEachRowOfWeightsIsADistribution takes rows and draws of odd sizes from strided weights.
func TestEachRowOfWeightsIsADistribution(t *testing.T) {
	t.Parallel()
	const categories, n = 5, 30_001
	rows := random.Uniform(seeded(1), dtype.Float64, 0.1, 1, categories, 3, 2).T()
	w := values[float64](t, rows)
	x := random.Categorical(rows.In(seeded(2)), n)
	require.Equal(t, []int{2, 3, n}, x.Shape())
	counts := random.Multinomial(rows.In(seeded(3)), 1000, 301)
	require.Equal(t, []int{2, 3, 301, categories}, counts.Shape())
	for row := range 6 {
		total := 0.0
		for _, v := range w[row*categories:][:categories] {
			total += v
		}
		requireMass(t, values[int64](t, x.Index(row/3, row%3)), 0, categories-1, func(k int64) float64 { return w[row*categories+int(k)] / total })
		for k := range categories {
			p := w[row*categories+k] / total
			requireMoments(t, values[int64](t, counts.Index(row/3, row%3, nd.Whole, k)), 1000*p, 1000*p*(1-p))
		}
	}
	sums := values[int64](t, counts.Sum(-1))
	require.Equal(t, slices.Repeat([]int64{1000}, len(sums)), sums)
}

func TestMultinomialCountsFollowTheirJointMass(t *testing.T) {
	t.Parallel()
	weights, trials := []float64{0.5, 0, 2, 1.5}, 4
	probabilities := map[string]float64{}
	for a := range trials + 1 {
		for b := range trials + 1 - a {
			c := trials - a - b
			ways := combin.Binomial(trials, a) * combin.Binomial(trials-a, b)
			probabilities[fmt.Sprint([]int{a, 0, b, c})] = float64(ways) * math.Pow(0.125, float64(a)) * math.Pow(0.5, float64(b)) * math.Pow(0.375, float64(c))
		}
	}
	x := random.Multinomial(nd.FromSliceIn(seeded(4), weights), trials, sampleSize()/5)
	requireOutcomes(t, values[int64](t, x), len(weights), probabilities)
}

func TestEveryOrderedChoiceIsEquallyLikely(t *testing.T) {
	t.Parallel()
	env, n := seeded(5), sampleSize()/200
	for _, test := range []struct{ population, count int }{{4, 4}, {5, 2}, {33, 2}} {
		probabilities, x := map[string]float64{}, []int64{}
		ways := combin.NumPermutations(test.population, test.count)
		for _, outcome := range combin.Permutations(test.population, test.count) {
			probabilities[fmt.Sprint(outcome)] = 1 / float64(ways)
		}
		for range n {
			x = append(x, values[int64](t, random.Choose(env, test.population, test.count))...)
		}
		requireOutcomes(t, x, test.count, probabilities)
	}
}

func TestChoicesNeverRepeat(t *testing.T) {
	for _, test := range []struct{ population, count int }{{1000, 1000}, {1000, 130}, {1000, 120}, {math.MaxInt64, 5000}, {1, 1}, {7, 0}, {0, 0}} {
		x := values[int64](t, random.Choose(seeded(6), test.population, test.count))
		require.Len(t, x, test.count)
		sorted := slices.Compact(slices.Sorted(slices.Values(x)))
		require.Len(t, sorted, test.count)
		for _, v := range x {
			require.True(t, v >= 0 && v < int64(test.population))
		}
		shorter := values[int64](t, random.Choose(seeded(6), test.population, test.count/9))
		require.Equal(t, x[:test.count/9], shorter, "a shorter choice is the beginning")
	}
	x := values[int64](t, random.ChooseWeighted(random.Uniform(seeded(7), dtype.Float32, 0.001, 1, 20, 3000), 700))
	for row := range slices.Chunk(x, 700) {
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(row))), 700)
	}
}

func TestWeightedChoicesWithoutReplacementAreSuccessiveDraws(t *testing.T) {
	t.Parallel()
	weights := []float64{1, 2, 0, 3, 4}
	n := sampleSize() / 10
	for count := 1; count <= 4; count++ {
		probabilities := map[string]float64{}
		for _, outcome := range combin.Permutations(len(weights), count) {
			probability, left := 1.0, 10.0
			for _, i := range outcome {
				probability *= weights[i] / left
				left -= weights[i]
			}
			if probability > 0 {
				probabilities[fmt.Sprint(outcome)] = probability
			}
		}
		rows := nd.FromSliceIn(seeded(uint64(count)), weights).BroadcastTo(n, len(weights))
		requireOutcomes(t, values[int64](t, random.ChooseWeighted(rows, count)), count, probabilities)
	}
}

func TestChoiceTakesParts(t *testing.T) {
	a := nd.Arange[int64](0, 12, 1).Reshape(3, 4).In(seeded(8))
	x := random.Choice(a, 60000, random.Along(-1))
	require.Equal(t, []int{3, 60000}, x.Shape())
	requireMass(t, values[int64](t, x.Index(1)), 4, 7, func(int64) float64 { return 0.25 })
	require.Equal(t, values[int64](t, x.Index(1).AddScalar(4)), values[int64](t, x.Index(2)))

	weighted := random.Choice(a, 60000, random.Weighted(nd.FromSlice([]float32{1, 0, 3})))
	requireMass(t, values[int64](t, weighted.Index(nd.Whole, 0)), 0, 8, func(k int64) float64 { return []float64{0.25, 0, 0, 0, 0, 0, 0, 0, 0.75}[k] })

	for _, options := range [][]random.ChoiceOption{{}, {random.Weighted(nd.FromSlice([]int64{5, 1, 2}))}} {
		x := random.Choice(a, 3, append(options, random.WithoutReplacement())...)
		rows := values[int64](t, x.Index(nd.Whole, 0))
		require.Equal(t, []int64{0, 4, 8}, slices.Sorted(slices.Values(rows)))
	}
	require.Equal(t, []int{0, 4}, random.Choice(a, 0, random.Weighted(nd.FromSlice([]int64{5, 1, 2}))).Shape())
	require.Equal(t, []int{0}, random.Choice(nd.Zeros[bool](0), 0).Shape())
}

func TestEveryShuffleIsEquallyLikely(t *testing.T) {
	t.Parallel()
	env, probabilities, x := seeded(9), map[string]float64{}, []int64{}
	for _, order := range combin.Permutations(4, 4) {
		probabilities[fmt.Sprint(order)] = 1.0 / 24
	}
	a := nd.Arange[int64](0, 4, 1).In(env)
	for range sampleSize() / 100 {
		x = append(x, values[int64](t, random.Shuffled(a, 0))...)
	}
	requireOutcomes(t, x, 4, probabilities)
}

func TestShufflesMovePartsAsWholes(t *testing.T) {
	a := nd.Arange[int64](0, 60, 1).Reshape(3, 4, 5).In(seeded(10))
	for axis := range 3 {
		x := random.Shuffled(a, axis-3)
		require.Equal(t, a.Shape(), x.Shape())
		order := values[int64](t, random.Shuffled(nd.Arange[int64](0, int64(a.Shape()[axis]), 1).In(seeded(11)), 0))
		require.Equal(t, values[int64](t, a.Take(nd.FromSlice(order), axis)), values[int64](t, random.Shuffled(a.In(seeded(11)), axis)))
	}
	require.Equal(t, []int{0, 3}, random.Shuffled(nd.Zeros[float32](0, 3), 0).Shape())
	require.Equal(t, []int{3, 0}, random.Shuffled(nd.Zeros[float32](3, 0), 0).Shape())
}

func shuffles[T dtype.Element](t *testing.T, a, b T) {
	x := values[T](t, random.Shuffled(nd.FromSlice([]T{a, b, b, a, a}), 0))
	counts := map[T]int{}
	for _, v := range x {
		counts[v]++
	}
	require.Equal(t, map[T]int{a: 3, b: 2}, counts)
}

func TestShufflesWorkForEveryType(t *testing.T) {
	shuffles(t, true, false)
	shuffles[int8](t, 1, -2)
	shuffles[int16](t, 1, -2)
	shuffles[int32](t, 1, -2)
	shuffles[int64](t, 1, -2)
	shuffles[uint8](t, 1, 2)
	shuffles[uint16](t, 1, 2)
	shuffles[uint32](t, 1, 2)
	shuffles[uint64](t, 1, 2)
	shuffles(t, dtype.ToF16(1), dtype.ToF16(2))
	shuffles(t, dtype.ToBF16(1), dtype.ToBF16(2))
	shuffles[float32](t, 1, 2)
	shuffles[float64](t, 1, 2)
	shuffles[complex64](t, 1, 2i)
	shuffles[complex128](t, 1, 2i)
}

func TestGradientsFlowThroughShufflesAndChoices(t *testing.T) {
	a := nd.FromSliceIn(seeded(12), []float64{1, 2, 3})
	tape := autograd.NewTape()
	x := tape.Watch(a)
	y := random.Shuffled(x, 0)
	g := values[float64](t, tape.Gradient(y.Mul(y).Sum(), x)[0])
	require.Equal(t, []float64{2, 4, 6}, g)
	tape = autograd.NewTape()
	x = tape.Watch(a)
	total := 0.0
	for _, v := range values[float64](t, tape.Gradient(random.Choice(x, 100).Sum(), x)[0]) {
		total += v
	}
	require.Equal(t, 100.0, total)
}
