package random_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

func seeded(seed uint64) *nd.Env { return nd.DefaultEnv().WithSeed(seed) }

func values[T dtype.Element](t *testing.T, a *nd.Array) []T {
	t.Helper()
	elements, err := nd.Values[T](a)
	require.NoError(t, err)
	return elements
}

// moments returns mean and standard deviation.
func moments(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, math.Sqrt(deviation)
}

func TestEqualSeedsGiveEqualNumbersAndCallsDoNotRepeat(t *testing.T) {
	draw := func(seed uint64) [][]float64 {
		env := seeded(seed)
		return [][]float64{
			values[float64](t, random.Uniform(env, dtype.Float64, 0, 1, 100)),
			values[float64](t, random.Uniform(env, dtype.Float64, 0, 1, 100)),
			values[float64](t, random.Normal(env, dtype.Float64, 0, 1, 100)),
		}
	}
	first := draw(1)
	require.Equal(t, first, draw(1))
	require.NotEqual(t, first[0], first[1])
	require.NotEqual(t, first[0], draw(2)[0])
}

func TestUniformStaysInRangeWithItsMoments(t *testing.T) {
	const n = 100000
	x := values[float64](t, random.Uniform(seeded(3), dtype.Float64, -2, 4, 100, n/100))
	mean, deviation := moments(x)
	require.Len(t, x, n)
	require.GreaterOrEqual(t, slices.Min(x), -2.0)
	require.Less(t, slices.Max(x), 4.0)
	require.InDelta(t, 1, mean, 5*deviation/math.Sqrt(n))
	require.InDelta(t, 6/math.Sqrt(12), deviation, 0.03)
}

func TestNormalHasItsMoments(t *testing.T) {
	const n = 100000
	mean, deviation := moments(values[float64](t, random.Normal(seeded(4), dtype.Float64, 3, 2, n)))
	require.InDelta(t, 3, mean, 5*2/math.Sqrt(n))
	require.InDelta(t, 2, deviation, 0.03)
}

func TestPermutationHoldsEveryNumberOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		order := values[int64](t, random.Permutation(seeded(5), n))
		sorted := slices.Sorted(slices.Values(order))
		require.Len(t, order, n)
		for i, v := range sorted {
			require.EqualValues(t, i, v)
		}
		if n == 1000 {
			require.NotEqual(t, sorted, order)
		}
	}
}

func TestEveryOrderIsEquallyLikely(t *testing.T) {
	env, counts := seeded(6), map[string]int{}
	const draws = 6000
	for range draws {
		counts[fmt.Sprint(values[int64](t, random.Permutation(env, 3)))]++
	}
	require.Len(t, counts, 6)
	for order, count := range counts {
		require.InDelta(t, draws/6, count, 150, order)
	}
}

func TestShapesOfNoElementsAndNoAxes(t *testing.T) {
	require.Empty(t, values[float32](t, random.Uniform(seeded(7), dtype.Float32, 0, 1, 3, 0)))
	require.Len(t, values[float32](t, random.Normal(seeded(7), dtype.Float32, 0, 1)), 1)
}

func TestMistakesPanicWithTheirReason(t *testing.T) {
	for _, test := range []struct {
		reason error
		call   func()
	}{
		{fault.ErrDType, func() { random.Uniform(seeded(1), dtype.Int64, 0, 1, 2) }},
		{fault.ErrShape, func() { random.Uniform(seeded(1), dtype.Float32, 0, 1, -2) }},
		{fault.ErrParameter, func() { random.Uniform(seeded(1), dtype.Float32, 1, 0, 2) }},
		{fault.ErrParameter, func() { random.Normal(seeded(1), dtype.Float32, 0, -1, 2) }},
		{fault.ErrParameter, func() { random.Permutation(seeded(1), -1) }},
		{fault.ErrMisuse, func() { random.Uniform(nil, dtype.Float32, 0, 1, 2) }},
		{fault.ErrMisuse, func() { random.Normal(nil, dtype.Float32, 0, 1, 2) }},
		{fault.ErrMisuse, func() { random.Permutation(nil, 2) }},
		{fault.ErrMisuse, func() { random.Weighted(nil) }},
		{fault.ErrMisuse, func() { random.Choice(nd.Zeros[float32](2), 1, nil) }},
	} {
		err := nd.Try(test.call)
		require.ErrorIs(t, err, test.reason)
		require.Contains(t, err.Error(), "random_test.go:")
	}
}
