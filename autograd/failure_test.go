package autograd_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// failing records y = x as an operator whose gradient applies an operator that fails.
func failing(x *nd.Array, fails func(r *ops.Rule)) *nd.Array {
	op := &ops.Operator{Name: "fragile", Gradient: fails}
	return (*nd.Array)(ops.RecordAs(op, []*ops.Tensor{(*ops.Tensor)(x)}, []*ops.Tensor{(*ops.Tensor)(x.Detach().Copy())}, fault.Here(1))[0])
}

func TestMistakeInAGradientNamesTheUsersOperatorAndLineFirst(t *testing.T) {
	tape := autograd.NewTape()
	x := tape.Watch(nd.Ones[float32](2))
	rule := func(r *ops.Rule) { r.Set(0, r.Apply("matmul", nil, r.Upstream(), r.Constant(1, r.Upstream()))) }
	y, forward := failing(x, rule), fault.Here(0).String()
	err, backward := nd.Try(func() { tape.Gradient(y.Sum(), x) }), fault.Here(0).String()
	require.Regexp(t, "^weft: in the gradient of fragile at "+forward+": matmul: a 0-d operand is no matrix .* at "+backward+"$", err.Error())
	var inner *nd.Error
	require.ErrorAs(t, err, &inner)
	require.Equal(t, "matmul", inner.Operator)
	operator, site, found := inner.Site.Gradient()
	require.True(t, found)
	require.Equal(t, "fragile", operator)
	require.Equal(t, forward, site.String())
}

func TestFailureOfAGradientNamesTheUsersOperatorAndLineFirst(t *testing.T) {
	tape := autograd.NewTape()
	beyond := nd.FromSlice([]int64{9, 9})
	x := tape.Watch(nd.Ones[float32](2))
	rule := func(r *ops.Rule) {
		r.Set(0, r.Apply("take", ops.TakeParams{Mode: "raise"}, r.Upstream(), (*ops.Tensor)(beyond)))
	}
	y, forward := failing(x, rule), fault.Here(0).String()
	g, backward := tape.Gradient(y.Exp().Sum(), x)[0], fault.Here(0).String()
	for range 2 { // asking twice answers twice
		err := g.Wait(context.Background())
		require.ErrorIs(t, err, fault.ErrIndex)
		require.Regexp(t, "^weft: in the gradient of fragile at "+forward+": take: .* at "+backward+"$", err.Error())
	}
	err := g.MulScalar(2).Wait(context.Background())
	require.Regexp(t, `^weft: mul was not run at failure_test\.go:\d+: its input failed: in the gradient of fragile at `+forward+": take: ", err.Error())
}
