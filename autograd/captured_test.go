package autograd_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestCapturedFunctionsWithLiveTapesAreErrors(t *testing.T) {
	c := nd.NewCaptured(nd.DefaultEnv(), func(_ *nd.Env, in []*nd.Array) []*nd.Array { return []*nd.Array{in[0].Neg()} })
	x, tape := nd.Ones[float64](2), autograd.NewTape()
	defer tape.Close()
	require.ErrorContains(t, nd.Try(func() { c.Call(tape.Watch(x)) }), "detach it")
	for range 2 {
		c.Call(x)
	}
	saved := tape.Watch(c.Call(x)[0]).Square()
	require.ErrorIs(t, nd.Try(func() { c.Call(x) }), fault.ErrSaved)
	tape.Gradient(saved.Sum(), x)
	values, err := nd.Values[float64](c.Call(x)[0])
	require.NoError(t, err)
	require.Equal(t, []float64{-1, -1}, values)
}
