package random_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

func TestPoissonNumbersFollowTheirMass(t *testing.T) {
	t.Parallel()
	for i, rate := range []float64{1e-3, 0.3, 3, 9.99, 10, 11.5, 57, 4321, 3e9, 1e15, 9e18} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			t.Parallel()
			x := values[int64](t, random.Poisson(seeded(uint64(i)), rate, 10, sampleSize()/10))
			requireMoments(t, x, rate, rate)
			if deviation := math.Sqrt(rate); rate > 1e6 {
				requireNormal(t, x, rate-1.0/6+0.5, deviation)
			} else {
				requireMass(t, x, max(0, int64(rate-8*deviation)), int64(rate+8*deviation+12), func(k int64) float64 {
					return distuv.Poisson{Lambda: rate}.Prob(float64(k))
				})
			}
		})
	}
}

func TestBinomialNumbersFollowTheirMass(t *testing.T) {
	t.Parallel()
	for i, test := range []struct {
		trials int
		p      float64
	}{
		{1, 0.3}, {20, 0.1}, {20, 0.93}, {30, 0.5}, {25, 0.4}, {1000, 0.005}, {200, 0.06}, {60, 0.8}, {5000, 0.55}, {1 << 40, 4e-12}, {1 << 53, 1 - 1e-15},
		{1 << 40, 0.3}, {1 << 53, 0.9},
	} {
		t.Run(fmt.Sprint(test.trials, " ", test.p), func(t *testing.T) {
			t.Parallel()
			n, p := float64(test.trials), test.p
			x := values[int64](t, random.Binomial(seeded(uint64(i)), test.trials, p, sampleSize()))
			variance := n * p * (1 - p)
			requireMoments(t, x, n*p, variance)
			switch deviation := math.Sqrt(variance); {
			case n <= 5000:
				low, high := max(0, int64(n*p-8*deviation)-12), min(int64(test.trials), int64(n*p+8*deviation)+12)
				requireMass(t, x, low, high, func(k int64) float64 { return distuv.Binomial{N: n, P: p}.Prob(float64(k)) })
			case variance < 100: // Poisson, as far as a sample tells
				for i := range x {
					if p > 0.5 {
						x[i] = int64(test.trials) - x[i]
					}
				}
				requireMass(t, x, 0, 60, func(k int64) float64 { return distuv.Poisson{Lambda: n * min(p, 1-p)}.Prob(float64(k)) })
			default:
				requireNormal(t, x, n*p+0.5, deviation)
			}
		})
	}
}

func TestGeometricNumbersFollowTheirMass(t *testing.T) {
	t.Parallel()
	for i, p := range []float64{0.999, 0.5, 0.3, 0.01} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			t.Parallel()
			x := values[int64](t, random.Geometric(seeded(uint64(i)), p, sampleSize()))
			requireMoments(t, x, 1/p, (1-p)/(p*p))
			requireMass(t, x, 1, int64(15/p)+15, func(k int64) float64 { return math.Pow(1-p, float64(k-1)) * p })
		})
	}
}

func TestNegativeBinomialNumbersFollowTheirMass(t *testing.T) {
	t.Parallel()
	for i, test := range []struct{ successes, p float64 }{{1, 0.5}, {0.3, 0.2}, {7.5, 0.3}, {40, 0.9}, {200, 0.1}} {
		t.Run(fmt.Sprint(test.successes, " ", test.p), func(t *testing.T) {
			t.Parallel()
			r, p := test.successes, test.p
			x := values[int64](t, random.NegativeBinomial(seeded(uint64(i)), r, p, sampleSize()/2))
			mean, variance := r*(1-p)/p, r*(1-p)/(p*p)
			requireMoments(t, x, mean, variance)
			ofSuccesses, _ := math.Lgamma(r)
			requireMass(t, x, 0, int64(mean+25*math.Sqrt(variance))+15, func(k int64) float64 {
				both, _ := math.Lgamma(float64(k) + r)
				failures, _ := math.Lgamma(float64(k) + 1)
				return math.Exp(both - failures - ofSuccesses + r*math.Log(p) + float64(k)*math.Log1p(-p))
			})
		})
	}
}

func TestBernoulliIsTrueAsOftenAsItShould(t *testing.T) {
	t.Parallel()
	n := sampleSize()
	for i, p := range []float64{0, 1e-12, 1e-4, 0.25, 0.5, 1 / 3.0, 0.999, 1 - 0x1p-53, 1} {
		hits := 0.0
		for _, hit := range values[bool](t, random.Bernoulli(seeded(uint64(i)), p, n)) {
			if hit {
				hits++
			}
		}
		require.LessOrEqual(t, math.Abs(hits-p*float64(n)), 5*math.Sqrt(p*(1-p)*float64(n)), p)
	}
}

// requireEven compares the parts of 128 equal ones of all values of T that numbers fall in.
func requireEven[T dtype.Integer](t *testing.T) {
	t.Run(dtype.Of[T]().String(), func(t *testing.T) {
		t.Parallel()
		bits := 8 * dtype.Of[T]().Size()
		low, high := T(0), ^T(0)
		if high < low {
			low = high << (bits - 1)
			high = ^low
		}
		x := values[T](t, random.Integers(seeded(2), low, high, 128_000))
		counts, expected := make([]float64, 128), slices.Repeat([]float64{1000}, 128)
		for _, v := range x {
			counts[uint64(v-low)<<(64-bits)>>57]++
		}
		requireChiSquare(t, expected, counts)
		if bits <= 16 {
			require.Equal(t, []T{low, high}, []T{slices.Min(x), slices.Max(values[T](t, random.Integers(seeded(2), low, high, 1_000_000)))})
		}

		// Three quarters of all values and three: what is not rejected in a word of the same size is far from even.
		top := high - high/4 + low/4
		counts = make([]float64, 3)
		for _, v := range values[T](t, random.Integers(seeded(3), low, top, 128_000)) {
			require.True(t, v >= low && v <= top)
			counts[uint64(v-low)%3]++
		}
		width := float64(uint64(top-low)<<(64-bits)>>(64-bits)) + 1
		for i := range counts {
			expected[i] = 128_000 * math.Ceil((width-float64(i))/3) / width
		}
		requireChiSquare(t, expected[:3], counts)

		for _, v := range []T{low, high, 5} {
			require.Equal(t, slices.Repeat([]T{v}, 3), values[T](t, random.Integers(seeded(3), v, v, 3)))
		}
	})
}

func TestIntegersAreEvenInEveryType(t *testing.T) {
	t.Parallel()
	requireEven[int8](t)
	requireEven[int16](t)
	requireEven[int32](t)
	requireEven[int64](t)
	requireEven[uint8](t)
	requireEven[uint16](t)
	requireEven[uint32](t)
	requireEven[uint64](t)
	requireEven[int](t)
}

func TestParametersAtTheirEnds(t *testing.T) {
	env := seeded(1)
	for name, test := range map[string]struct {
		got  *nd.Array
		want int64
	}{
		"poisson of rate 0":                  {random.Poisson(env, 0, 4), 0},
		"poisson of the smallest rate":       {random.Poisson(env, 5e-324, 4), 0},
		"binomial without trials":            {random.Binomial(env, 0, 0.3, 4), 0},
		"binomial of 0":                      {random.Binomial(env, 1<<53, 0, 4), 0},
		"binomial of 1":                      {random.Binomial(env, 1<<53, 1, 4), 1 << 53},
		"binomial next to 0":                 {random.Binomial(env, 1<<53, 5e-324, 4), 0},
		"binomial without trials of 1":       {random.Binomial(env, 0, 1, 4), 0},
		"geometric of 1":                     {random.Geometric(env, 1, 4), 1},
		"geometric of the smallest":          {random.Geometric(env, 5e-324, 4), math.MaxInt64},
		"negative binomial of 1":             {random.NegativeBinomial(env, 3.5, 1, 4), 0},
		"negative binomial of few":           {random.NegativeBinomial(env, 5e-324, 0.5, 4), 0},
		"negative binomial next to 0":        {random.NegativeBinomial(env, 3.5, 1e-300, 4), math.MaxInt64},
		"negative binomial of few next to 0": {random.NegativeBinomial(env, 1e-300, 5e-324, 4), 0},
		"categorical of one":                 {random.Categorical(nd.FromSlice([]float64{0, 5e-324, 0}), 4), 1},
		"categorical of logits":              {random.CategoricalLogits(nd.FromSlice([]float64{-1e300, 1e300, math.Inf(-1)}), 4), 1},
		"categorical of the largest":         {random.Categorical(nd.FromSlice([]float64{0, 0, math.MaxFloat64}), 4), 2},
		"multinomial of one":                 {random.Multinomial(nd.FromSlice([]float32{3}), 1<<53, 4), 1 << 53},
		"multinomial without trials":         {random.Multinomial(nd.FromSlice([]float32{3, 2}), 0, 2), 0},
		"choose one of one":                  {random.Choose(env, 1, 1).Index(nd.NewAxis, nd.Whole), 0},
		"largest weight next to the least":   {random.ChooseWeighted(nd.FromSlice([]float64{5e-324, 1e308}), 1), 1},
	} {
		for _, v := range values[int64](t, test.got) {
			require.Equal(t, test.want, v, name)
		}
	}
}

func TestFormsWithArraysDrawTheSameNumbers(t *testing.T) {
	const n = 3000
	for i, rate := range []float64{0, 0.5, 7, 10, 1e4, 3e10} {
		seed := uint64(i)
		require.Equal(t, values[int64](t, random.Poisson(seeded(seed), rate, n)),
			values[int64](t, random.PoissonOf(nd.FullIn(seeded(seed), dtype.Float64, rate, n))))
		p := rate / 3.1e10
		require.Equal(t, values[bool](t, random.Bernoulli(seeded(seed), p, n)),
			values[bool](t, random.BernoulliOf(nd.FullIn(seeded(seed), dtype.Float64, p, n))))
		trials := nd.FullIn(seeded(seed), dtype.Int64, 1000, n, 1)
		require.Equal(t, values[int64](t, random.Binomial(seeded(seed), 1000, p, n, 1)),
			values[int64](t, random.BinomialOf(trials, nd.FullIn(seeded(seed), dtype.Float64, p, 1, 1))))
	}
}

// TestParametersOfEachElementCount mixes parameters of all branches in one array.
func TestParametersOfEachElementCount(t *testing.T) {
	t.Parallel()
	n := sampleSize() / 4
	rates := nd.FromSliceIn(seeded(1), []float32{0.5, 25, 3, 0}).Index(nd.NewAxis, nd.Whole)
	wide := random.PoissonOf(rates.BroadcastTo(n, 4))
	for i, rate := range []float64{0.5, 25, 3, 0} {
		requireMoments(t, values[int64](t, wide.Index(nd.Whole, i)), rate, rate)
	}
	trials := nd.FromSliceIn(seeded(2), []int32{10, 100, 0})
	p := nd.FromSlice([]float64{0.25, 0.9}).Index(nd.Whole, nd.NewAxis, nd.NewAxis)
	counts := random.BinomialOf(trials.Index(nd.NewAxis, nd.NewAxis, nd.Whole).BroadcastTo(1, n, 3), p)
	require.Equal(t, []int{2, n, 3}, counts.Shape())
	for i, p := range []float64{0.25, 0.9} {
		for j, trials := range []float64{10, 100, 0} {
			requireMoments(t, values[int64](t, counts.Index(i, nd.Whole, j)), trials*p, trials*p*(1-p))
		}
	}
}

func TestIllegalParametersInArraysAreErrorsOfTheResult(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := nd.FromSlice([]int64{1})
	for name, test := range map[string]struct {
		got  *nd.Array
		text string
	}{
		"probability":   {random.BernoulliOf(nd.FromSlice([]float64{0, 1, 1.5, -1}, 2, 2)), "probability at index (1,0) is 1.5 (legal: from 0 to 1)"},
		"nan":           {random.BernoulliOf(nd.FromSlice([]float32{float32(nan)}).Sum()), "probability is NaN (legal"},
		"rate":          {random.PoissonOf(nd.FromSlice([]float64{0, 1e19})), "rate at index (1,) is 1e+19 (legal: from 0 to 9.2e18)"},
		"negative rate": {random.PoissonOf(nd.FromSlice([]int64{-1})), "rate at index (0,) is -1"},
		"trials":        {random.BinomialOf(nd.FromSlice([]int64{5, -5}), nd.FromSlice([]float64{0.5})), "number of trials at index (1,) is -5"},
		"many trials":   {random.BinomialOf(nd.FromSlice([]int64{1<<53 + 1}), nd.FromSlice([]float64{0.5})), "number of trials at index (0,) is 9007199254740993"},
		"chance":        {random.BinomialOf(one, nd.FromSlice([]float32{2})), "probability at index (0,) is 2"},
		"weight":        {random.Categorical(nd.FromSlice([]float64{1, 2, 3, -4}, 2, 2), 3), "row (1,): weight 1 is -4 (legal: finite, not negative)"},
		"nan weight":    {random.Multinomial(nd.FromSlice([]float64{1, nan}), 3), "weight 1 is NaN"},
		"infinite":      {random.ChooseWeighted(nd.FromSlice([]float64{inf, 1}), 1), "weight 0 is +Inf"},
		"no weight":     {random.Categorical(nd.FromSlice([]float64{0, 0}), 3), "no weight is positive"},
		"large weights": {random.Categorical(nd.FromSlice([]float64{math.MaxFloat64, math.MaxFloat64}), 3), "the sum of the weights is too large"},
		"nothing":       {random.Categorical(nd.Zeros[float32](2, 0), 3), "row (0,): no weight is positive"},
		"few weights":   {random.ChooseWeighted(nd.FromSlice([]float64{1, 0, 1}), 3), "only 2 weights are positive, 3 are wanted"},
		"nan logit":     {random.CategoricalLogits(nd.FromSlice([]float64{1, nan}), 3), "logit 1 is NaN"},
		"large logit":   {random.CategoricalLogits(nd.FromSlice([]float64{inf}), 3), "logit 0 is +Inf"},
		"no logit":      {random.CategoricalLogits(nd.FromSlice([]float64{-inf, -inf}), 3), "no weight is positive"},
		"choice":        {random.Choice(nd.Ones[float32](3), 2, random.Weighted(nd.FromSlice([]float64{1, -1, 1}))), "weight 1 is -1"},
	} {
		for range 2 {
			_, err := nd.ValuesAs[float64](test.got)
			require.ErrorIs(t, err, fault.ErrParameter, name)
			require.ErrorContains(t, err, test.text, name)
			require.Contains(t, err.Error(), "discrete_test.go:", name)
		}
	}
}

func TestMistakesInDiscreteDistributionsPanicWithTheirReason(t *testing.T) {
	env, weights := seeded(1), nd.Ones[float64](3)
	for i, test := range []struct {
		reason error
		call   func()
	}{
		{fault.ErrParameter, func() { random.Integers(env, 2, 1, 3) }},
		{fault.ErrShape, func() { random.Integers(env, 1, 2, -3) }},
		{fault.ErrMisuse, func() { random.Integers(nil, 1, 2, 3) }},
		{fault.ErrParameter, func() { random.Bernoulli(env, 1.01, 3) }},
		{fault.ErrParameter, func() { random.Bernoulli(env, math.NaN(), 3) }},
		{fault.ErrMisuse, func() { random.BernoulliOf(nil) }},
		{fault.ErrDType, func() { random.BernoulliOf(nd.Ones[int64](3)) }},
		{fault.ErrParameter, func() { random.Poisson(env, -1, 3) }},
		{fault.ErrParameter, func() { random.Poisson(env, math.Inf(1), 3) }},
		{fault.ErrDType, func() { random.PoissonOf(nd.Ones[complex64](3)) }},
		{fault.ErrParameter, func() { random.Binomial(env, -1, 0.5, 3) }},
		{fault.ErrParameter, func() { random.Binomial(env, 1<<53+1, 0.5, 3) }},
		{fault.ErrParameter, func() { random.Binomial(env, 1, -0.5, 3) }},
		{fault.ErrDType, func() { random.BinomialOf(weights, weights) }},
		{fault.ErrShape, func() { random.BinomialOf(nd.Ones[int64](2), weights) }},
		{fault.ErrParameter, func() { random.Geometric(env, 0, 3) }},
		{fault.ErrParameter, func() { random.NegativeBinomial(env, 0, 0.5, 3) }},
		{fault.ErrParameter, func() { random.NegativeBinomial(env, 1, 0, 3) }},
		{fault.ErrShape, func() { random.Categorical(nd.Ones[float32](), 3) }},
		{fault.ErrShape, func() { random.Categorical(weights, -3) }},
		{fault.ErrDType, func() { random.Categorical(nd.Ones[complex64](3), 3) }},
		{fault.ErrParameter, func() { random.Multinomial(weights, -1) }},
		{fault.ErrParameter, func() { random.Choose(env, 3, 4) }},
		{fault.ErrParameter, func() { random.Choose(env, 3, -1) }},
		{fault.ErrParameter, func() { random.ChooseWeighted(weights, 4) }},
		{fault.ErrMisuse, func() { random.Choice(nil, 1) }},
		{fault.ErrAxis, func() { random.Choice(weights, 1, random.Along(1)) }},
		{fault.ErrAxis, func() { random.Choice(nd.Ones[float32](), 1) }},
		{fault.ErrParameter, func() { random.Choice(weights, 4, random.WithoutReplacement()) }},
		{fault.ErrParameter, func() { random.Choice(weights, -1) }},
		{fault.ErrParameter, func() { random.Choice(nd.Ones[float32](0), 1) }},
		{fault.ErrShape, func() { random.Choice(weights, 1, random.Weighted(nd.Ones[float32](4))) }},
		{fault.ErrShape, func() { random.Choice(weights, 1, random.Weighted(nd.Ones[float32](3, 1))) }},
		{fault.ErrAxis, func() { random.Shuffled(weights, -2) }},
		{fault.ErrMisuse, func() { random.Shuffled(nil, 0) }},
	} {
		err := nd.Try(test.call)
		require.ErrorIs(t, err, test.reason, i)
		require.Contains(t, err.Error(), "discrete_test.go:", i)
	}
}
