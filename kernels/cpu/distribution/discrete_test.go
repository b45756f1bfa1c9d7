package distribution

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// discrete fill slices with numbers of one parameter, and with as many of a parameter for each.
var discrete = map[string]struct {
	one, many func(dst []int64, s Source, first uint64)
}{
	"poisson, few":   {poissonOf(3), poissonsOf(3)},
	"poisson, many":  {poissonOf(300), poissonsOf(300)},
	"binomial, few":  {binomialOf(20, 0.1), binomialsOf(20, 0.1)},
	"binomial, many": {binomialOf(1000, 0.9), binomialsOf(1000, 0.9)},
	"bernoulli": {
		func(dst []int64, s Source, first uint64) {
			hits := make([]bool, len(dst))
			NewChance(0.3).Hits(hits, s, first)
			toIntegers(dst, hits)
		},
		func(dst []int64, s Source, first uint64) {
			hits := make([]bool, len(dst))
			BernoulliOf(hits, s, first, slices.Repeat([]float64{0.3}, len(dst)))
			toIntegers(dst, hits)
		},
	},
	"geometric":         {one: func(dst []int64, s Source, first uint64) { Geometric(dst, s, first, 0.2) }},
	"negative binomial": {one: func(dst []int64, s Source, first uint64) { NegativeBinomial(dst, s, first, 4, 0.3) }},
	"wide integers":     {one: func(dst []int64, s Source, first uint64) { WideIntegers(dst, s, first, 0, 99) }},
	"narrow integers":   {one: func(dst []int64, s Source, first uint64) { NarrowIntegers(dst, s, first, 0, 99) }},
	"categories of two rows": {one: func(dst []int64, s Source, first uint64) {
		Categorical(dst, s, first, []float64{1, 3, 4, 0, 2, 2}, 3, BlockSize+40)
	}},
}

func poissonOf(rate float64) func(dst []int64, s Source, first uint64) {
	return func(dst []int64, s Source, first uint64) { Poisson(dst, s, first, rate) }
}

func poissonsOf(rate float64) func(dst []int64, s Source, first uint64) {
	return func(dst []int64, s Source, first uint64) {
		PoissonOf(dst, s, first, slices.Repeat([]float64{rate}, len(dst)))
	}
}

func binomialOf(trials int64, probability float64) func(dst []int64, s Source, first uint64) {
	return func(dst []int64, s Source, first uint64) { Binomial(dst, s, first, trials, probability) }
}

func binomialsOf(trials int64, probability float64) func(dst []int64, s Source, first uint64) {
	return func(dst []int64, s Source, first uint64) {
		BinomialOf(dst, s, first, slices.Repeat([]int64{trials}, len(dst)), slices.Repeat([]float64{probability}, len(dst)))
	}
}

func toIntegers(dst []int64, hits []bool) {
	for i, hit := range hits {
		if dst[i] = 0; hit {
			dst[i] = 1
		}
	}
}

// TestDiscreteNumbersAreFunctionsOfTheirPlaces fills blocks in part, and with a parameter for each element.
func TestDiscreteNumbersAreFunctionsOfTheirPlaces(t *testing.T) {
	s := Source{5, 6}
	for name, f := range discrete {
		for _, first := range []uint64{0, BlockSize} {
			all, other := make([]int64, BlockSize), make([]int64, BlockSize)
			f.one(all, s, first)
			f.one(other, Source{5, 7}, first)
			require.NotEqual(t, all, other, name)
			for _, count := range []int{0, 1, 7, 256, 257, BlockSize - 1} {
				part := make([]int64, count)
				f.one(part, s, first)
				require.Equal(t, all[:count], part, name)
			}
			if f.many != nil {
				many := make([]int64, BlockSize)
				f.many(many, s, first)
				require.Equal(t, all, many, name)
			}
		}
	}
}

// TestChoicesAreDifferentAndBelowTheirPopulation chooses by both methods.
func TestChoicesAreDifferentAndBelowTheirPopulation(t *testing.T) {
	for _, population := range []int64{300, 301, 5000, 1 << 40} {
		chosen := make([]int64, 300)
		Choose(chosen, Source{1, 2}, population)
		slices.Sort(chosen)
		require.Len(t, slices.Compact(slices.Clone(chosen)), len(chosen))
		require.GreaterOrEqual(t, chosen[0], int64(0))
		require.Less(t, chosen[len(chosen)-1], population)
	}
}
