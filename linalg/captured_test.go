package linalg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

// TestACaptureHasAllThatAProductComputes brings one of the operands alone to the capture: what is computed of the other one alone has to be
// computed again by a Replay, too.
func TestACaptureHasAllThatAProductComputes(t *testing.T) {
	kron := func(a, b *nd.Array) *nd.Array { return linalg.Kron(a.T(), b.T()) }
	cross := func(a, b *nd.Array) *nd.Array { return linalg.Cross(a, b, -1) }
	for name, product := range map[string]func(a, b *nd.Array) *nd.Array{"kron": kron, "cross": cross} {
		for alone := range 2 {
			a, b := nd.Arange(0.0, 6, 1).Reshape(2, 3), nd.Arange(3.0, -3, -1).Square().Reshape(2, 3)
			var got *nd.Array
			capture := nd.DefaultEnv().Capture(func(env *nd.Env) {
				operands := []*nd.Array{a, b}
				operands[alone] = operands[alone].In(env)
				got = product(operands[0], operands[1])
			})
			for range 2 {
				nd.AddInto(a, a.Square(), nd.Weak(1.0))
				nd.AddInto(b, b, a)
				capture.Replay()
				require.Equal(t, product(a, b).String(), got.String(), "%s, operand %d", name, alone)
			}
			capture.Release()
		}
	}
}
