package ops

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

// An Env with a cancel scope never takes a shortcut: its results are those of operations.
func TestShortcutsOfReductionsGiveTheBitsOfOperations(t *testing.T) {
	env := newEnv(t, "perdevice")
	scoped := env.WithScope(t.Context())
	calls := []Sample{
		{Shapes: [][]int{{300}}, Params: ReduceParams{}}, {Shapes: [][]int{{2, 3, 4}}, Params: ReduceParams{Axes: []int{2, 0}}},
		{Shapes: [][]int{{5, 70}}, Params: ReduceParams{Axes: []int{0}, KeepDims: true}}, {Shapes: [][]int{{5, 70}}, Params: ReduceParams{Axes: []int{-1}}},
		{Shapes: [][]int{{20, 50}}, Params: ReduceParams{KeepDims: true}},
	}
	for _, op := range All() {
		if !op.reduces {
			continue
		}
		for _, d := range dtypesOf(op) {
			for _, s := range calls {
				x := newCase(op, s, d).in[0]
				for _, turned := range []bool{false, true} {
					inputs, others := []*Tensor{x.tensor(env)}, []*Tensor{x.tensor(scoped)}
					if rank := len(s.Shapes[0]); turned && rank == 2 {
						for _, operands := range [][]*Tensor{inputs, others} {
							operands[0] = NewTensor(operands[0].view.Permute([]int{1, 0}), operands[0].env)
						}
					}
					want, dst := InvokeOne(op, s.Params, others...), InvokeOne(op, s.Params, inputs...)
					require.NoError(t, env.engine.WaitAll(t.Context()))
					name := fmt.Sprintf("%s of %v %v %+v, turned: %v", op.Name, d, s.Shapes, s.Params, turned)
					got := op.byShortcut(s.Params, nil, inputs)
					if d == dtype.Float16 || d == dtype.BFloat16 {
						continue // which may be converted first
					}
					require.NotNil(t, got, name)
					require.Equal(t, want.DType(), got.DType(), name)
					require.Equal(t, want.Shape(), got.Shape(), name)
					require.Equal(t, contents(t, want), contents(t, got), name)
					requireShort(t, op, s.Params, dst, inputs...)
					require.Equal(t, contents(t, want), contents(t, dst), name)
				}
			}
		}
	}
}

func TestMistakenReductionsTakeNoShortcut(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := floats32(env, 1, 3, 4)
	dst := InvokeOne(Sum, ReduceParams{Axes: []int{0}}, x)
	require.NoError(t, env.engine.WaitAll(t.Context()))
	require.NotNil(t, Sum.byShortcut(ReduceParams{Axes: []int{1}}, nil, []*Tensor{x}))
	for name, params := range map[string]any{
		"beyond": ReduceParams{Axes: []int{2}}, "before": ReduceParams{Axes: []int{-3}}, "twice": ReduceParams{Axes: []int{1, -1}},
		"of another operator": ScanParams{}, "none": nil,
	} {
		require.Nil(t, Sum.byShortcut(params, nil, []*Tensor{x}), name)
	}
	for name, operands := range map[string][]*Tensor{
		"none": {}, "two": {x, x}, "nil": {nil}, "empty": {floats32(env, 0, 0, 4)}, "many axes": {floats32(env, 1, 1, 1, 1, 1, 1, 1, 1)},
		"watched": {x.Watched(new(tape), 0)}, "scoped": {x.In(env.WithScope(t.Context()))},
	} {
		require.Nil(t, Sum.byShortcut(ReduceParams{}, nil, operands), name)
	}
	require.Nil(t, Sum.byShortcut(ReduceParams{Axes: []int{1}}, dst, []*Tensor{x}), "another shape")
	require.Nil(t, Max.byShortcut(ReduceParams{Axes: []int{0}, KeepDims: true}, x, []*Tensor{x}), "into the operand")
	require.Panics(t, func() { InvokeOne(Sum, ReduceParams{Axes: []int{2}}, x) })
}

func TestAShortReductionMakesNothing(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := floats32(env, 1, 20, 40)
	var params any = ReduceParams{}
	outputs := []*Tensor{InvokeOne(Sum, params, x)}
	require.NoError(t, env.engine.WaitAll(t.Context()))
	require.Zero(t, testing.AllocsPerRun(100, func() { InvokeInto(Sum, params, outputs, x) }))
}
