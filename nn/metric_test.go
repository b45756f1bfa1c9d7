package nn_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

func TestMetricsCountRows(t *testing.T) {
	logits := nd.FromSlice([]float32{3, 2, 1, 0, 1, 2, 3, 4, 0, 9, 8, 7, 5, 6, 4, 3, 1, 0, 0, 0}, 5, 4)
	labels := nd.FromSlice([]int64{1, 3, 1, 2, 3}) // largest are at 0, 3, 1, 1, 0
	for k, want := range []float64{2. / 5, 3. / 5, 4. / 5, 1} {
		got, err := nd.Item[float64](nn.TopKAccuracy(logits, labels, k+1))
		require.NoError(t, err)
		require.InDelta(t, want, got, 1e-15, k+1)
	}
	counts, err := nd.Values[int64](nn.ConfusionMatrix(logits, labels))
	require.NoError(t, err)
	require.Equal(t, []int64{0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1}, counts)
	require.ErrorIs(t, nd.Try(func() { nn.TopKAccuracy(logits, labels, 5) }), fault.ErrParameter)
	require.ErrorIs(t, nd.Try(func() { nn.ConfusionMatrix(labels, labels) }), fault.ErrShape)
}

func TestMetricsOfSequencesAreThoseOfTheirTimes(t *testing.T) {
	logits, labels := nd.Arange(0.0, 120, 1).MulScalar(37).RemainderScalar(101).Reshape(2, 3, 5, 4), nd.Arange[int64](0, 30, 1).RemainderScalar(4).Reshape(2, 3, 5)
	turned, turnedLabels := logits.Transpose(2, 0, 1, 3), labels.Transpose(2, 0, 1)
	rows, line := logits.Reshape(30, 4), labels.Reshape(30)
	require.Equal(t, elements(t, nn.Accuracy(rows, line)), elements(t, nn.Accuracy(logits, labels)))
	require.Equal(t, elements(t, nn.Accuracy(rows, line)), elements(t, nn.Accuracy(turned, turnedLabels)))
	require.Equal(t, elements(t, nn.TopKAccuracy(rows, line, 2)), elements(t, nn.TopKAccuracy(turned, turnedLabels, 2)))
	require.Equal(t, nn.ConfusionMatrix(rows, line).String(), nn.ConfusionMatrix(turned, turnedLabels).String())
	require.ErrorIs(t, nd.Try(func() { nn.Accuracy(logits, turnedLabels) }), fault.ErrShape)
	require.ErrorIs(t, nd.Try(func() { nn.Accuracy(logits.Index(0, 0, 0), labels.Index(0, 0, 0)) }), fault.ErrShape)
}

func TestLabelsOutOfRangeAreAnErrorOfTheConfusionMatrix(t *testing.T) {
	_, err := nd.Values[int64](nn.ConfusionMatrix(nd.Ones[float32](2, 3), nd.FromSlice([]int64{0, 3})))
	require.ErrorIs(t, err, fault.ErrIndex)
}

func TestMetricsRefuseLabelsThatAreNoIntegers(t *testing.T) {
	logits := nd.Ones[float32](2, 3)
	for _, labels := range []*nd.Array{nd.Ones[float32](2), nd.Ones[bool](2)} {
		for name, call := range map[string]func(){
			"Accuracy":        func() { nn.Accuracy(logits, labels) },
			"TopKAccuracy":    func() { nn.TopKAccuracy(logits, labels, 1) },
			"ConfusionMatrix": func() { nn.ConfusionMatrix(logits, labels) },
		} {
			err := nd.Try(call)
			require.ErrorIs(t, err, fault.ErrDType)
			require.ErrorContains(t, err, name+": the labels are "+labels.DType().String()+", not integers")
		}
	}
}
