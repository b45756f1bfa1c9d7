package nn_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// losses and what they are of one pair of numbers.
var losses = map[string]struct {
	loss func(x, t *nd.Array) *nd.Array
	want func(x, t float64) float64
}{
	"absolute": {nn.AbsoluteError, func(x, t float64) float64 { return math.Abs(x - t) }},
	"squared":  {nn.SquaredError, func(x, t float64) float64 { return (x - t) * (x - t) }},
	"huber": {func(x, t *nd.Array) *nd.Array { return nn.Huber(x, t, 0.75) }, func(x, t float64) float64 {
		if e := math.Abs(x - t); e > 0.75 {
			return 0.75 * (e - 0.375)
		}
		return (x - t) * (x - t) / 2
	}},
	"sigmoid": {nn.SigmoidCrossEntropy, func(x, t float64) float64 {
		return -t*math.Log(1/(1+math.Exp(-x))) - (1-t)*math.Log(1-1/(1+math.Exp(-x)))
	}},
}

func TestLossesAreTheMeansOfTheirDefinition(t *testing.T) {
	xs, ts := []float64{-2, -0.6, 0.1, 1.7, 3, 0.5}, []float64{0, 0.25, 1, 1, 0.5, 0.3}
	for name, c := range losses {
		t.Run(name, func(t *testing.T) {
			mean := func(xs []float64) (sum float64) {
				for i, x := range xs {
					sum += c.want(x, ts[i]) / float64(len(xs))
				}
				return sum
			}
			tape := autograd.NewTape()
			x := tape.Watch(nd.FromSlice(xs, 2, 3))
			loss := c.loss(x, nd.FromSlice(ts, 2, 3))
			value, err := nd.Item[float64](loss)
			require.NoError(t, err)
			require.InDelta(t, mean(xs), value, 1e-12)
			slopes, err := nd.Values[float64](tape.Gradient(loss, x)[0])
			require.NoError(t, err)
			for i := range xs {
				const h = 1e-6
				xs[i] += h
				high := mean(xs)
				xs[i] -= 2 * h
				low := mean(xs)
				xs[i] += h
				require.InDelta(t, (high-low)/(2*h), slopes[i], 1e-8)
			}
		})
	}
}

func TestSigmoidCrossEntropyOfExtremeLogitsIsFinite(t *testing.T) {
	loss, err := nd.Item[float32](nn.SigmoidCrossEntropy(nd.FromSlice([]float32{1e4, -1e4, 1e4, -1e4}), nd.FromSlice([]float32{1, 0, 0, 1})))
	require.NoError(t, err)
	require.Equal(t, float32(5e3), loss)
}

func TestSigmoidCrossEntropyOfWhatIsNearlyCertainKeepsItsDigits(t *testing.T) {
	for _, x := range []float64{5, 12, 16, 40} {
		want := math.Log1p(math.Exp(-x))
		for _, c := range [][2]float32{{float32(x), 1}, {float32(-x), 0}} {
			loss, err := nd.Item[float32](nn.SigmoidCrossEntropy(nd.FromSlice(c[:1]), nd.FromSlice(c[1:])))
			require.NoError(t, err)
			require.InEpsilon(t, want, float64(loss), 1e-6)
		}
	}
}

func TestLossesRefuseTargetsThatDoNotFit(t *testing.T) {
	x := nd.Ones[float32](4, 1)
	for name, c := range losses {
		for _, bad := range []struct {
			x, targets *nd.Array
			want       error
		}{
			{x, nd.Ones[float32](4), fault.ErrShape}, {x, nd.Ones[float32](1, 4), fault.ErrShape}, {x, nd.Ones[float64](4, 1), fault.ErrDType},
			{x.Cast(nd.Ones[int32]().DType()), nd.Ones[int32](4, 1), fault.ErrDType}, {nil, x, fault.ErrMisuse}, {x, nil, fault.ErrMisuse},
		} {
			err := nd.Try(func() { c.loss(bad.x, bad.targets) })
			require.ErrorIs(t, err, bad.want, name)
			require.ErrorContains(t, err, "loss_test.go", name)
		}
	}
	require.ErrorIs(t, nd.Try(func() { nn.Huber(x, x, 0) }), fault.ErrParameter)
	require.ErrorIs(t, nd.Try(func() { nn.Huber(x, x, math.NaN()) }), fault.ErrParameter)
}
