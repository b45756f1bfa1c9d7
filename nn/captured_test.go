package nn_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// TestACaptureHasAllThatALossComputes brings one of the arrays alone to the capture: what is computed of the others alone, on the way to the
// result, has to be computed again by a Replay, too.
func TestACaptureHasAllThatALossComputes(t *testing.T) {
	type arrays = []*nd.Array
	logits := nd.FromNested([][]float32{{0.5, -1, 2}, {1, 0.25, -3}})
	shares := nd.FromNested([][]float32{{0, 1, 0}, {0.5, 0.25, 0.25}})
	layer := nn.NewMultiHeadAttention(nd.DefaultEnv().WithSeed(1), 6, 2)
	times := nd.Arange[float32](0, 24, 1).MulScalar(0.1).Reshape(1, 4, 6)
	for name, c := range map[string]struct {
		operands arrays
		function func(a arrays) *nd.Array
	}{
		"softmax":         {arrays{logits, shares}, func(a arrays) *nd.Array { return nn.SoftmaxCrossEntropy(a[0], a[1]) }},
		"sigmoid":         {arrays{logits, shares}, func(a arrays) *nd.Array { return nn.SigmoidCrossEntropy(a[0], a[1]) }},
		"squares":         {arrays{logits, shares}, func(a arrays) *nd.Array { return nn.SquaredError(a[0], a[1]) }},
		"accuracy":        {arrays{logits, nd.FromSlice([]int64{2, 1})}, func(a arrays) *nd.Array { return nn.Accuracy(a[0], a[1]) }},
		"top":             {arrays{logits, nd.FromSlice([]int64{0, 1})}, func(a arrays) *nd.Array { return nn.TopKAccuracy(a[0], a[1], 2) }},
		"confusion":       {arrays{logits, nd.FromSlice([]int64{2, 1})}, func(a arrays) *nd.Array { return nn.ConfusionMatrix(a[0], a[1]) }},
		"other times":     {arrays{times, times.Index(nd.Whole, nd.Span(1, 4))}, func(a arrays) *nd.Array { return layer.Attend(nn.Infer(), a[0], a[1], nil) }},
		"some other ones": {arrays{times, times, times.Index(nd.Whole, nd.Span(0, 1), nd.Span(0, 4))}, func(a arrays) *nd.Array { return layer.Attend(nn.Infer(), a[0], a[1], a[2]) }},
	} {
		for alone := range c.operands {
			operands := make(arrays, len(c.operands))
			for i, a := range c.operands {
				operands[i] = a.Copy()
			}
			var got *nd.Array
			capture := nd.DefaultEnv().Capture(func(env *nd.Env) {
				inside := slices.Clone(operands)
				inside[alone] = inside[alone].In(env)
				got = c.function(inside)
			})
			for range 2 {
				for i, a := range operands {
					nd.CopyInto(a, c.operands[i].Reshape(-1).Flip(0).Reshape(a.Shape()...))
				}
				capture.Replay()
				require.Equal(t, c.function(operands).String(), got.String(), "%s, array %d", name, alone)
			}
			capture.Release()
		}
	}
}
