package autograd_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestGradientsOfComplexArraysAreErrorsAtTheCall(t *testing.T) {
	tape := autograd.NewTape()
	z, x := nd.FromSlice([]complex64{1i}), tape.Watch(nd.FromSlice([]float32{1}))
	for _, call := range []func(){func() { tape.Watch(z) }, func() { x.Mul(z) }, func() { nd.Complex(x, x) }, func() { x.Cast(dtype.Complex64) }} {
		err := nd.Try(call)
		require.ErrorIs(t, err, fault.ErrDType)
		require.ErrorContains(t, err, "gradients")
		require.ErrorContains(t, err, "complex_test.go")
	}
	slope, err := nd.Item[float32](tape.Gradient(x.Real().Conj().Square().Sum(), x)[0])
	require.NoError(t, err)
	require.Equal(t, float32(2), slope)
}
