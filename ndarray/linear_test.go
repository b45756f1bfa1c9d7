package ndarray_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestLinearHasTheBitsOfItsSteps(t *testing.T) {
	x := nd.Linspace[float32](-2, 3, 4*30*50).Reshape(4, 30, 50).Sin()
	weight, bias := nd.Linspace[float32](-1, 1, 50*20).Reshape(20, 50).T().Cos(), nd.Linspace[float32](-1, 1, 20)
	residual := nd.Linspace[float32](-4, 4, 4*30*20).Reshape(4, 30, 20)
	sum := x.MatMul(weight).Add(bias)
	require.Equal(t, values[float32](t, sum), values[float32](t, x.Linear(weight, nd.NoActivation, bias)))
	require.Equal(t, values[float32](t, sum.Relu()), values[float32](t, x.Linear(weight, nd.ReluActivation, bias)))
	want := sum.Add(residual).Gelu()
	require.Equal(t, values[float32](t, want), values[float32](t, x.Linear(weight, nd.GeluActivation, bias, residual)))
	turned := nd.Zeros[float32](20, 30, 4).Transpose()
	nd.LinearInto(turned, x, weight, nd.GeluActivation, bias, residual)
	require.Equal(t, values[float32](t, want), values[float32](t, turned))
	nd.LinearInto(residual, x, weight, nd.GeluActivation, bias, residual) // The residual is the destination, too.
	require.Equal(t, values[float32](t, want), values[float32](t, residual))
	var mistake *nd.Error
	require.ErrorAs(t, nd.Try(func() { x.Linear(weight, nd.NoActivation) }), &mistake)
	require.ErrorIs(t, mistake, fault.ErrMisuse)
}
