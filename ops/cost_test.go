package ops

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/profile"
)

// costs keeps what an engine tells of operators.
type costs map[string]profile.Record

// Observe implements profile.Observer.
func (c costs) Observe(r *profile.Record) { c[r.Name] = *r }

func TestOperatorsTellWhatTheyCost(t *testing.T) {
	e := engine.NewNaive()
	env := NewEnv(e)
	seen := costs{}
	stop := e.Observe(seen)
	zeros := func(shape ...int) *Tensor {
		return InvokeIn(env, Fill, FillParams{Shape: shape, DType: dtype.Float32})[0]
	}
	a, b := zeros(5, 2, 3), zeros(3, 7)
	Invoke(Sum, ReduceParams{}, Invoke(Exp, nil, Invoke(MatMul, nil, a, b)[0])[0])
	require.NoError(t, e.WaitAll(context.Background()))
	stop()
	for name, want := range map[string][2]int64{
		"matmul": {4 * (5*2*3 + 3*7 + 5*2*7), 2 * 5 * 2 * 3 * 7},
		"exp":    {4 * 2 * 5 * 2 * 7, 5 * 2 * 7},
		"sum":    {4 * (5*2*7 + 1), 5 * 2 * 7},
	} {
		require.Equal(t, want, [2]int64{seen[name].Bytes, seen[name].Work}, name)
	}
	Invoke(Exp, nil, a)
	require.NoError(t, e.WaitAll(context.Background()))
	require.EqualValues(t, 4*2*5*2*7, seen["exp"].Bytes, "nobody observes any more")
}
