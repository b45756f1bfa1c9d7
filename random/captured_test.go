package random_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// TestACaptureHasAllThatADrawComputesOfItsParameters brings one of the arrays alone to the capture: what is computed of the other one alone has to be
// computed again by a Replay, too. The parameters leave nothing to chance.
func TestACaptureHasAllThatADrawComputesOfItsParameters(t *testing.T) {
	type arrays = [2]*nd.Array
	half := func(x *nd.Array) *nd.Array { return x.Cast(dtype.Float16) }
	none, first, last := nd.Zeros[float64](2, 2), nd.FromSlice([]float64{1, 0, 0}), nd.FromSlice([]float64{0, 0, 1})
	numbers, others := nd.FromSlice([]float64{1, 2, 3}), nd.FromSlice([]float64{4, 5, 6})
	for name, c := range map[string]struct {
		before, after arrays
		draw          func(a arrays) *nd.Array
		want          []float64
	}{
		"normal": {
			arrays{numbers.Index(nd.Span(0, 2)), nd.Eye[float64](2)}, arrays{others.Index(nd.Span(0, 2)), none},
			func(a arrays) *nd.Array { return random.MultivariateNormal(a[0], a[1]) }, []float64{4, 5},
		},
		"normal of halves": {
			arrays{half(numbers.Index(nd.Span(0, 2))), nd.Eye[float64](2)}, arrays{half(others.Index(nd.Span(0, 2))), none},
			func(a arrays) *nd.Array { return random.MultivariateNormal(a[0], a[1]) }, []float64{4, 5},
		},
		"normal of a factor of halves": {
			arrays{numbers.Index(nd.Span(0, 2)), half(nd.Eye[float64](2))}, arrays{others.Index(nd.Span(0, 2)), half(none)},
			func(a arrays) *nd.Array { return random.MultivariateNormalFactored(a[0], a[1]) }, []float64{4, 5},
		},
		"binomial of halves": {
			arrays{nd.FromSlice([]int64{7, 8}), half(none.Index(0))}, arrays{nd.FromSlice([]int64{3, 4}), half(none.Index(0).AddScalar(1))},
			func(a arrays) *nd.Array { return random.BinomialOf(a[0], a[1]) }, []float64{3, 4},
		},
		"choice": {
			arrays{numbers, first}, arrays{others, last},
			func(a arrays) *nd.Array { return random.Choice(a[0], 2, random.Weighted(a[1])) }, []float64{6, 6},
		},
		"choice of one": {
			arrays{numbers, first}, arrays{others, last},
			func(a arrays) *nd.Array {
				return random.Choice(a[0], 1, random.Weighted(a[1]), random.WithoutReplacement())
			}, []float64{6},
		},
	} {
		for alone := range 2 {
			operands := arrays{c.before[0].Copy(), c.before[1].Copy()}
			var got *nd.Array
			capture := nd.DefaultEnv().WithSeed(1).Capture(func(env *nd.Env) {
				inside := operands
				inside[alone] = inside[alone].In(env)
				got = c.draw(inside)
			})
			for i, a := range operands {
				nd.CopyInto(a, c.after[i])
			}
			capture.Replay()
			values, err := nd.ValuesAs[float64](got)
			require.NoError(t, err)
			require.Equal(t, c.want, values, "%s, array %d", name, alone)
			capture.Release()
		}
	}
}
