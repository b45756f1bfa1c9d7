package nn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
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

func TestSigmoidCrossEntropyHasGradientsOfEveryOrder(t *testing.T) {
	logits, targets := nd.FromSlice([]float64{-30, -2, 0, 0.5, 3, 40}), nd.FromSlice([]float64{0, 0.3, 0.8, 1, 0, 1})
	outer := autograd.NewTape()
	x, p := outer.Watch(logits), outer.Watch(targets)
	inner := autograd.NewTape()
	watched, wanted := inner.Watch(x), inner.Watch(p)
	slopes := inner.Gradient(nd.SigmoidCrossEntropy(watched, wanted).Sum(), watched, wanted)
	second := outer.Gradient(slopes[0].Sum(), x, p)
	for i, v := range elements(t, logits) {
		sigmoid := 1 / (1 + math.Exp(-v))
		share := elements(t, targets)[i]
		require.InEpsilon(t, (1-share)*sigmoid-share/(1+math.Exp(v)), elements(t, slopes[0])[i], 1e-12)
		require.Equal(t, -v, elements(t, slopes[1])[i])
		require.InEpsilon(t, sigmoid/(1+math.Exp(v)), elements(t, second[0])[i], 1e-9)
		require.InDelta(t, -1, elements(t, second[1])[i], 1e-12)
	}
}

func TestSoftmaxCrossEntropyOfSequencesIsThatOfTheirTimes(t *testing.T) {
	x, labels := nd.Arange[float64](0, 24, 1).Square().MulScalar(0.01).Reshape(2, 3, 4), nd.FromSlice([]int64{0, 3, 1, 2, 2, 0}, 2, 3)
	tape := autograd.NewTape(autograd.Persistent())
	watched := tape.Watch(x)
	loss, flat := nn.SoftmaxCrossEntropy(watched, labels), nn.SoftmaxCrossEntropy(watched.Reshape(6, 4), labels.Reshape(6))
	require.Equal(t, elements(t, flat), elements(t, loss))
	require.Equal(t, elements(t, tape.Gradient(flat, watched)[0]), elements(t, tape.Gradient(loss, watched)[0]))
	swapped := nn.SoftmaxCrossEntropy(x.Transpose(1, 0, 2), labels.T())
	require.InDelta(t, elements(t, loss)[0], elements(t, swapped)[0], 1e-12)
	for _, bad := range []*nd.Array{labels.T(), labels.Reshape(6), labels.ExpandDims(2), nd.Zeros[int64]()} {
		err := nd.Try(func() { nn.SoftmaxCrossEntropy(x, bad) })
		require.ErrorIs(t, err, fault.ErrShape)
		require.ErrorContains(t, err, "want (...,classes) and (...)")
		require.ErrorContains(t, err, "loss_test.go")
	}
	for _, shape := range [][]int{{0, 3, 4}, {2, 0, 4}} {
		require.True(t, math.IsNaN(elements(t, nn.SoftmaxCrossEntropy(nd.Zeros[float64](shape...), nd.Zeros[int64](shape[:2]...)))[0]))
	}
}

func TestSoftmaxCrossEntropyOfOneRowHasALabelWithoutAxes(t *testing.T) {
	x, tape := nd.FromSlice([]float64{1, 3, 2}), autograd.NewTape()
	watched := tape.Watch(x)
	loss := nn.SoftmaxCrossEntropy(watched, nd.Full(int64(2)))
	row := nn.SoftmaxCrossEntropy(watched.ExpandDims(0), nd.FromSlice([]int64{2}))
	require.Equal(t, elements(t, row), elements(t, loss))
	require.Equal(t, []int{3}, tape.Gradient(loss, x)[0].Shape())
	for _, bad := range []*nd.Array{nd.Zeros[int64](1), nd.Zeros[int64](3)} {
		err := nd.Try(func() { nn.SoftmaxCrossEntropy(x, bad) })
		require.ErrorIs(t, err, fault.ErrShape)
		require.ErrorContains(t, err, "want (...,classes) and (...)")
	}
}

func TestSoftmaxCrossEntropyTakesProbabilities(t *testing.T) {
	x := nd.FromSlice([]float64{1, -2, 0.5, 3, 1000, -1000, 0, 0.1, 0.2}, 3, 3)
	p := nd.FromSlice([]float64{0.2, 0.3, 0.5, 0.9, 0.1, 0, 0, 0, 1}, 3, 3)
	logits, probabilities := elements(t, x), elements(t, p)
	want := 0.0
	for row := range 3 {
		most, sum := slices.Max(logits[3*row:3*row+3]), 0.0
		for _, v := range logits[3*row : 3*row+3] {
			sum += math.Exp(v - most)
		}
		for i := 3 * row; i < 3*row+3; i++ {
			want -= float64(probabilities[i]*(logits[i]-most-math.Log(sum))) / 3
		}
	}
	require.InDelta(t, want, elements(t, nn.SoftmaxCrossEntropy(x, p))[0], 1e-9)
	require.InDelta(t, want, elements(t, nn.SoftmaxCrossEntropy(x.ExpandDims(1), p.ExpandDims(1)))[0], 1e-9)

	labels := nd.FromSlice([]int64{2, 0, 1})
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
		tape := autograd.NewTape(autograd.Persistent())
		watched := tape.Watch(x.Cast(d))
		soft, hard := nn.SoftmaxCrossEntropy(watched, labels.OneHot(3, d)), nn.SoftmaxCrossEntropy(watched, labels)
		require.Equal(t, d, soft.DType())
		require.InEpsilon(t, elements(t, hard.Cast(dtype.Float64))[0], elements(t, soft.Cast(dtype.Float64))[0], 1e-6)
		require.InDeltaSlice(t, elements(t, tape.Gradient(hard, watched)[0].Cast(dtype.Float64)), elements(t, tape.Gradient(soft, watched)[0].Cast(dtype.Float64)), 1e-6)
	}
	for _, bad := range []struct {
		labels *nd.Array
		want   error
	}{
		{nd.Ones[float64](3), fault.ErrDType}, {nd.Ones[float32](3, 3), fault.ErrDType}, {nd.Ones[float64](3, 2), fault.ErrShape}, {nd.Ones[float64](1, 3), fault.ErrShape}, {nil, fault.ErrMisuse},
	} {
		err := nd.Try(func() { nn.SoftmaxCrossEntropy(x, bad.labels) })
		require.ErrorIs(t, err, bad.want)
		require.ErrorContains(t, err, "loss_test.go")
	}
	require.ErrorIs(t, nd.Try(func() { nn.SoftmaxCrossEntropy(nd.Full(1.0), nd.Full(1.0)) }), fault.ErrShape)
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
