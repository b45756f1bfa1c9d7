package nn_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

func TestActivationsAndTheirGradientsAreThoseOfTheirFormulas(t *testing.T) {
	x := []float64{-800, -3, -0.5, 0, 0.25, 2, 800}
	for name, c := range map[string]struct {
		layer    nn.Layer
		f, slope func(x float64) float64
	}{
		"leaky": {nn.LeakyRelu(0.1), func(x float64) float64 { return max(x, 0.1*x) }, func(x float64) float64 {
			if x <= 0 {
				return 0.1
			}
			return 1
		}},
		"elu": {nn.Elu(2), func(x float64) float64 { return max(x, 0) + 2*math.Expm1(min(x, 0)) }, func(x float64) float64 {
			if x <= 0 {
				return 2 * math.Exp(x)
			}
			return 1
		}},
		"silu": {nn.Silu, func(x float64) float64 { return x / (1 + math.Exp(-x)) }, func(x float64) float64 {
			s := 1 / (1 + math.Exp(-x))
			return s + x*s*(1-s)
		}},
		"softplus": {nn.Softplus, func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	} {
		tape := autograd.NewTape()
		in := nd.FromSlice(x)
		y := c.layer.Forward(nn.Train(tape, nil), tape.Watch(in))
		values, err := nd.Values[float64](y)
		require.NoError(t, err)
		gradients, err := nd.Values[float64](tape.Gradient(y.Sum(), in)[0])
		require.NoError(t, err)
		for i := range x {
			require.InDelta(t, c.f(x[i]), values[i], 1e-9, "%s(%v)", name, x[i])
			require.InDelta(t, c.slope(x[i]), gradients[i], 1e-9, "slope of %s at %v", name, x[i])
		}
	}
	for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32} {
		for _, layer := range []nn.Layer{nn.LeakyRelu(0.5), nn.Elu(1)} {
			require.Equal(t, d, layer.Forward(nn.Infer(), nd.FromSlice([]float64{-1, 2}).Cast(d)).DType())
		}
	}
	rows := nd.FromSlice([]float64{0, 0, 1, 1}, 2, 2)
	values, err := nd.Values[float64](nn.Softmax.Forward(nn.Infer(), rows))
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{0.5, 0.5, 0.5, 0.5}, values, 1e-12)
	values, err = nd.Values[float64](nn.LogSoftmax.Forward(nn.Infer(), rows))
	require.NoError(t, err)
	require.InDelta(t, math.Log(0.5), values[3], 1e-12)
	values, err = nd.Values[float64](nn.GlobalMaxPool2D.Forward(nn.Infer(), nd.Arange[float64](0, 12, 1).Reshape(1, 3, 2, 2)))
	require.NoError(t, err)
	require.Equal(t, []float64{3, 7, 11}, values)
	for _, call := range []func(){func() { nn.LeakyRelu(-1) }, func() { nn.Elu(math.NaN()) }} {
		require.ErrorIs(t, nd.Try(call), fault.ErrParameter)
	}
}
