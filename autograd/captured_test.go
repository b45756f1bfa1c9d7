package autograd_test

import (
	"fmt"
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

// TestGradientRulesOfSavedOperandsAloneAreKept has rules that compute on an operand alone, which lies outside of the captured function.
func TestGradientRulesOfSavedOperandsAloneAreKept(t *testing.T) {
	for name, weights := range map[string]*nd.Array{
		"as they were made":    nd.FromSlice([]float64{2, 3}),
		"written by operators": nd.FromSlice([]float64{1, 2}).AddScalar(1),
	} {
		for rule, apply := range map[string]func(w, x *nd.Array) *nd.Array{
			"pow": (*nd.Array).Pow, "copysign": (*nd.Array).CopySign,
		} {
			t.Run(rule+" "+name, func(t *testing.T) {
				gradients := func(_ *nd.Env, in []*nd.Array) []*nd.Array {
					tape := autograd.NewTape()
					defer tape.Close()
					x := tape.Watch(in[0])
					return tape.Gradient(apply(tape.Watch(weights), x).Sum(), weights, in[0])
				}
				c := nd.NewCaptured(nd.DefaultEnv(), gradients)
				defer c.Release()
				for i := range 4 {
					nd.Set(weights, float64(3-2*i), 1)
					x := nd.FromSlice([]float64{float64(i), -2})
					wants := gradients(nd.DefaultEnv(), []*nd.Array{x})
					for j, got := range c.Call(x) {
						want, err := nd.Values[float64](wants[j])
						require.NoError(t, err)
						values, err := nd.Values[float64](got)
						require.NoError(t, err)
						require.Equal(t, fmt.Sprint(want), fmt.Sprint(values), "call %d, gradient %d", i, j)
					}
				}
			})
		}
	}
}
