package ndarray_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestSoftmaxCrossEntropyHasTheShapeOfTheLabels(t *testing.T) {
	for _, shape := range [][]int{{}, {6}, {2, 3}, {3, 1, 2}, {0, 3}, {2, 0}} {
		count := 1
		for _, n := range shape {
			count *= n
		}
		logits, labels := nd.Arange[float64](0, 24, 1).Square().MulScalar(0.01).Index(nd.Span(0, 4*count)), nd.Arange[int64](0, 6, 1).RemainderScalar(4).Index(nd.Span(0, count))
		got := nd.SoftmaxCrossEntropy(logits.Reshape(append(append([]int{}, shape...), 4)...), labels.Reshape(shape...))
		require.Equal(t, len(shape), got.Rank())
		require.Equal(t, shape, append([]int{}, got.Shape()...))
		want := []float64{}
		x := values[float64](t, logits)
		for i, label := range values[int64](t, labels) {
			sum := 0.0
			for _, v := range x[4*i : 4*i+4] {
				sum += math.Exp(v)
			}
			want = append(want, math.Log(sum)-x[4*i+int(label)])
		}
		found := values[float64](t, got)
		require.Len(t, found, len(want))
		for i := range want {
			require.InDelta(t, want[i], found[i], 1e-12)
		}
	}
}

func TestSigmoidCrossEntropyIsThatOfEachElement(t *testing.T) {
	x, targets := []float64{-2, -0.6, 0.1, 1.7, 30, -700}, []float64{0, 0.25, 1, 1, 0, 1}
	got := values[float64](t, nd.SigmoidCrossEntropy(nd.FromSlice(x, 2, 3), nd.FromSlice(targets, 2, 3)))
	for i := range x {
		require.InDelta(t, targets[i]*math.Log1p(math.Exp(-x[i]))+(1-targets[i])*math.Log1p(math.Exp(x[i])), got[i], 1e-12)
	}
}

func TestCrossEntropiesOfWhatDoesNotFitAreMistakes(t *testing.T) {
	x := nd.Zeros[float32](2, 3, 4)
	for name, c := range map[string]struct {
		call  func()
		cause error
	}{
		"labels of other axes":       {func() { nd.SoftmaxCrossEntropy(x, nd.Zeros[int64](3, 2)) }, fault.ErrShape},
		"labels with an axis more":   {func() { nd.SoftmaxCrossEntropy(x, nd.Zeros[int64](2, 3, 1)) }, fault.ErrShape},
		"logits without axes":        {func() { nd.SoftmaxCrossEntropy(nd.Full(1.0), nd.Full[int64](0)) }, fault.ErrShape},
		"labels that are floats":     {func() { nd.SoftmaxCrossEntropy(x, nd.Zeros[float32](2, 3)) }, fault.ErrDType},
		"targets of another shape":   {func() { nd.SigmoidCrossEntropy(x, nd.Zeros[float32](4)) }, fault.ErrShape},
		"targets of another dtype":   {func() { nd.SigmoidCrossEntropy(x, x.Cast(dtype.Float64)) }, fault.ErrDType},
		"logits that are no numbers": {func() { nd.SigmoidCrossEntropy(nil, x) }, fault.ErrMisuse},
	} {
		err := nd.Try(c.call)
		require.ErrorIs(t, err, c.cause, name)
		require.ErrorContains(t, err, "cross_entropy_test.go", name)
	}
}
