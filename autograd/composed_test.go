package autograd_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// TestWhatFunctionsMakeOnTheirWayIsThereForGradients compares the slope in one direction with the difference of two results: of functions that give
// back what they make on their way, from some size on.
func TestWhatFunctionsMakeOnTheirWayIsThereForGradients(t *testing.T) {
	const n, step = 200, 1e-6
	x := nd.Arange(0, n*n, 1).Reshape(n, n).MulScalar(7919).RemainderScalar(10007).Cast(dtype.Float64).DivScalar(10007)
	counts := x.MulScalar(100).Cast(dtype.Int32)
	direction := x.T().Sub(x).MulScalar(step)
	for name, function := range map[string]func(x *nd.Array) *nd.Array{
		"operands of two dtypes": func(x *nd.Array) *nd.Array { return x.Add(counts) },
		"median":                 func(x *nd.Array) *nd.Array { return x.Median(1) },
		"quantile":               func(x *nd.Array) *nd.Array { return x.Quantile(0.3, 0) },
		"quantiles":              func(x *nd.Array) *nd.Array { return x.Quantiles([]float64{0.3, 0.8}, 0) },
		"covariances":            func(x *nd.Array) *nd.Array { return x.Covariance(1) },
		"correlations":           func(x *nd.Array) *nd.Array { return x.Correlation() },
		"differences":            func(x *nd.Array) *nd.Array { return x.Diff(3, 1) },
		"sums behind a zero":     func(x *nd.Array) *nd.Array { return x.CumSumInitial(1) },
		"einsum of three":        func(x *nd.Array) *nd.Array { return nd.Einsum("ij,jk,kl->il", x, x, x) },
		"einsum of two dtypes":   func(x *nd.Array) *nd.Array { return nd.Einsum("ij,ij->i", x, counts) },
		"product of two dtypes":  func(x *nd.Array) *nd.Array { return x.TensorDot(counts, 1) },
		"product of turned axes": func(x *nd.Array) *nd.Array {
			four := x.Reshape(10, 20, 10, 20)
			return four.TensorDotAxes(four, []int{0, 3}, []int{2, 1})
		},
		"dot products": func(x *nd.Array) *nd.Array { return x.VecDot(counts, 1) },
	} {
		loss := func(x *nd.Array) *nd.Array { return function(x).Square().Mean() }
		tape := autograd.NewTape()
		watched := tape.Watch(x)
		slope, err := nd.Item[float64](tape.Gradient(loss(watched), watched)[0].Mul(direction).Sum())
		require.NoError(t, err, name)
		difference, err := nd.Item[float64](loss(x.Add(direction)).Sub(loss(x.Sub(direction))).DivScalar(2))
		require.NoError(t, err, name)
		require.InEpsilon(t, difference, slope, 1e-4, name)
	}
}
