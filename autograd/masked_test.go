package autograd_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
)

// TestGradientsOfMaskedReductionsAreThoseOfWhatCounts has a line of numbers between NaN, for which the gradient is that of the numbers alone, and a
// line of NaN. What does not count has the gradient zero.
func TestGradientsOfMaskedReductionsAreThoseOfWhatCounts(t *testing.T) {
	nan := math.NaN()
	numbers := []float64{2, 0.5, 4, 3}
	for name, of := range map[string][2]func(x *nd.Array) *nd.Array{
		"Sum":      {func(x *nd.Array) *nd.Array { return x.Sum(1) }, func(x *nd.Array) *nd.Array { return x.WithoutNaN().Sum(1) }},
		"Prod":     {func(x *nd.Array) *nd.Array { return x.Prod(1) }, func(x *nd.Array) *nd.Array { return x.WithoutNaN().Prod(1) }},
		"Mean":     {func(x *nd.Array) *nd.Array { return x.Mean(1) }, func(x *nd.Array) *nd.Array { return x.WithoutNaN().Mean(1) }},
		"Var":      {func(x *nd.Array) *nd.Array { return x.Var(1, 1) }, func(x *nd.Array) *nd.Array { return x.WithoutNaN().Var(1, 1) }},
		"Std":      {func(x *nd.Array) *nd.Array { return x.Std(0, 1) }, func(x *nd.Array) *nd.Array { return x.WithoutNaN().Std(0, 1) }},
		"Max":      {func(x *nd.Array) *nd.Array { return x.Max(1) }, func(x *nd.Array) *nd.Array { return x.WithoutNaN().Max(1) }},
		"Min":      {func(x *nd.Array) *nd.Array { return x.Min(1) }, func(x *nd.Array) *nd.Array { return x.WithoutNaN().Min(1) }},
		"Median":   {func(x *nd.Array) *nd.Array { return x.Median(1) }, func(x *nd.Array) *nd.Array { return x.WithoutNaN().Median(1) }},
		"Quantile": {func(x *nd.Array) *nd.Array { return x.Quantile(0.4, 1) }, func(x *nd.Array) *nd.Array { return x.WithoutNaN().Quantile(0.4, 1) }},
	} {
		slopes := func(of func(x *nd.Array) *nd.Array, x *nd.Array) (first, second []float64) {
			outer, inner := autograd.NewTape(), autograd.NewTape()
			watched := outer.Watch(x)
			under := inner.Watch(watched)
			slope := inner.Gradient(of(under).Index(0).Square(), under)[0]
			first, err := nd.Values[float64](slope)
			require.NoError(t, err)
			second, err = nd.Values[float64](outer.Gradient(slope.Square().Sum(), watched)[0])
			require.NoError(t, err)
			return first, second
		}
		first, second := slopes(of[0], nd.FromSlice(numbers, 1, 4))
		gotFirst, gotSecond := slopes(of[1], nd.FromNested([][]float64{{2, nan, 0.5, 4, nan, 3}, {nan, nan, nan, nan, nan, nan}}))
		for i, place := range []int{0, 2, 3, 5} {
			require.InDelta(t, first[i], gotFirst[place], 1e-12, "%s, element %d", name, i)
			require.InDelta(t, second[i], gotSecond[place], 1e-12, "%s, element %d of the second order", name, i)
			gotFirst[place], gotSecond[place] = 0, 0
		}
		require.Equal(t, make([]float64, 12), gotFirst, name)
		require.Equal(t, make([]float64, 12), gotSecond, name)
	}
}

func TestGradientsOfLinesWithNothingThatCountsAreZero(t *testing.T) {
	x := nd.FromNested([][]float64{{1, 2}, {math.NaN(), math.NaN()}})
	for name, of := range map[string]func(m nd.Masked) *nd.Array{
		"Sum": func(m nd.Masked) *nd.Array { return m.Sum(1) }, "Mean": func(m nd.Masked) *nd.Array { return m.Mean(1) }, "Max": func(m nd.Masked) *nd.Array { return m.Max(1) },
		"Var": func(m nd.Masked) *nd.Array { return m.Var(0, 1) }, "Median": func(m nd.Masked) *nd.Array { return m.Median(1) },
	} {
		tape := autograd.NewTape()
		watched := tape.Watch(x)
		gradient, err := nd.Values[float64](tape.Gradient(of(watched.WithoutNaN()).Sum(), watched)[0])
		require.NoError(t, err)
		require.Equal(t, []float64{0, 0}, gradient[2:], name)
		require.NotContains(t, []bool{math.IsNaN(gradient[0]), math.IsNaN(gradient[1])}, true, name)
	}
}
