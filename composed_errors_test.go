package weft_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/random"
)

// TestErrorsBeginWithTheFunctionThatWasCalled has functions that are made of operators, of which one fails or an operand has failed.
func TestErrorsBeginWithTheFunctionThatWasCalled(t *testing.T) {
	x, labels := nd.FromSlice([]float64{1, 2, 3}), nd.FromSlice([]int64{1, 9})
	failed := x.Take(nd.FromSlice([]int64{0, 1, 7}), 0)
	const itsInput = ` was not run at composed_errors_test\.go:\d+: its input failed( \d operators before \(last: \w+\))?: take: index 7 is out of range for axis 0 with 3 elements .*`
	for _, c := range []struct {
		text string
		call func() *nd.Array
	}{
		{`Histogram: the line does not ascend`, func() *nd.Array { return x.Histogram(nd.FromSlice([]float64{3, 1})) }},
		{`Digitize: the line does not ascend`, func() *nd.Array { return x.Digitize(nd.FromSlice([]float64{3, 1})) }},
		{`linalg\.MatrixPower: the matrix is singular: pivot 0`, func() *nd.Array { return linalg.MatrixPower(nd.Zeros[float64](2, 2), -2) }},
		{`nn\.ConfusionMatrix: one_hot: index 9 is out of range for depth 3`, func() *nd.Array { return nn.ConfusionMatrix(nd.Zeros[float32](2, 3), labels) }},
		{`softmax_cross_entropy: label 9 is out of range for 3 classes`, func() *nd.Array { return nn.SoftmaxCrossEntropy(nd.Zeros[float32](2, 3), labels) }},
		{`random\.Choice: weight 0 is -1`, func() *nd.Array { return random.Choice(x, 2, random.Weighted(x.SubScalar(2))) }},
		{`Median: where` + itsInput, func() *nd.Array { return failed.Median(0) }},
		{`Correlation: clamp` + itsInput, func() *nd.Array { return failed.Reshape(1, 3).Correlation() }},
		{`Masked\.Mean: div` + itsInput, func() *nd.Array { return failed.WithoutNaN().Mean() }},
		{`Stack: concat` + itsInput, func() *nd.Array { return nd.Stack(0, x, failed) }},
		{`linalg\.Kron` + itsInput, func() *nd.Array { return linalg.Kron(failed, x) }},
		{`nn\.Dense\.Forward: linear` + itsInput, func() *nd.Array {
			return nn.NewDense(nd.DefaultEnv(), 3, 2).Forward(nn.Infer(), failed.Reshape(1, 3))
		}},
		{`add` + itsInput, func() *nd.Array { return failed.AddScalar(1) }},
		{`max` + itsInput, func() *nd.Array { return failed.MaxKeepDims(0) }},
		{`exp` + itsInput, func() *nd.Array { nd.ExpInto(nd.ZerosLike(x), failed); return failed.T().Exp() }},
	} {
		err := c.call().Wait(t.Context())
		require.Regexp(t, `^weft: `+c.text, err.Error())
		require.Regexp(t, ` at composed_errors_test\.go:\d+$`, err.Error())
	}
}

func TestErrorsInGradientsNameTheFunctionWhoseGradientItIs(t *testing.T) {
	tape := autograd.NewTape()
	x := tape.Watch(nd.FromSlice([]float64{1, 2, 3}))
	loss := x.Median(0)
	failed := nd.FromSlice([]float64{1}).Take(nd.FromSlice([]int64{7}), 0).Reshape()
	err := tape.GradientWith(loss, failed, x)[0].Wait(t.Context())
	require.ErrorIs(t, err, fault.ErrIndex)
	require.Regexp(t, `^weft: in the gradient of Median: \w+ at composed_errors_test\.go:\d+: \w+ was not run`, err.Error())
}
