package ops

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
)

func floats32(env *Env, from float32, shape ...int) *Tensor {
	a := newArray(dtype.Float32, shape)
	for i := range a.values {
		a.values[i] = float64(from + float32(i))
	}
	return a.tensor(env)
}

func contents(t *testing.T, x *Tensor) (data []byte) {
	t.Helper()
	require.NoError(t, Access(t.Context(), x, engine.Read, false, fault.Here(0), func(seen []byte) error {
		data = bytes.Clone(seen)
		return nil
	}))
	return data
}

// requireShort writes to dst by a shortcut, when no worker looks after the queues of the engine.
func requireShort(t *testing.T, op *Operator, dst *Tensor, inputs ...*Tensor) {
	require.NoError(t, dst.Wait(t.Context()))
	for op.short(nil, dst, inputs) == nil {
		runtime.Gosched()
	}
}

// An Env with a cancel scope never takes a shortcut: its results are those of operations.
func TestShortcutsGiveTheBitsOfOperations(t *testing.T) {
	env := newEnv(t, "perdevice")
	scoped := env.WithScope(t.Context())
	taken := 0
	for _, op := range All() {
		if op.shortcuts == nil {
			continue
		}
		for _, d := range dtypesOf(op) {
			for _, shapes := range [][][]int{
				{{16}, {16}}, {{3, 70}, {3, 70}}, {{3, 70}, {}}, {{1, 1}, {1000}}, {{}, {}},
				{{5, 33}, {33}}, {{5, 33}, {5, 1}}, {{33}, {5, 33}}, {{4, 1, 1}, {4, 3, 17}}, {{2, 2, 40}, {1, 2, 40}}, {{40, 3}, {1, 3}}, {{1, 40, 3}, {1, 40, 1}}, {{3, 0}, {0}}, {{3, 1}, {1, 3}}, {{1, 16}, {16}},
			} {
				c := newCase(op, Sample{Shapes: shapes[:len(op.Inputs)]}, d)
				var inputs, others []*Tensor
				for _, a := range c.in {
					inputs, others = append(inputs, a.tensor(env)), append(others, a.tensor(scoped))
				}
				want := InvokeOne(op, nil, others...)
				InvokeOne(op, nil, inputs...)
				require.NoError(t, env.engine.WaitAll(t.Context()))
				got := op.short(nil, nil, inputs)
				if got == nil {
					continue // As where a bool becomes a float first.
				}
				taken++
				name := fmt.Sprintf("%s of %v %v", op.Name, d, shapes[:len(op.Inputs)])
				require.Equal(t, want.DType(), got.DType(), name)
				require.Equal(t, want.Shape(), got.Shape(), name)
				require.Equal(t, contents(t, want), contents(t, got), name)
				require.Equal(t, []uint64{1, 1}, []uint64{got.view.Synced.Var().Version(), got.view.Synced.Var().Sequence()}, name)
				dst := InvokeOne(op, nil, inputs...)
				requireShort(t, op, dst, inputs...)
				require.Equal(t, contents(t, want), contents(t, dst), name)
				require.Equal(t, []uint64{2, 2}, []uint64{dst.view.Synced.Var().Version(), dst.view.Synced.Var().Sequence()}, name)
			}
		}
	}
	require.Greater(t, taken, 500)
}

func TestShortcutsRepeatRowsAndColumns(t *testing.T) {
	env := newEnv(t, "perdevice")
	whole, row, column := floats32(env, 1, 5, 40), floats32(env, 2, 40), floats32(env, 3, 5, 1)
	thin := floats32(env, 1, 40, 3)
	InvokeOne(Add, nil, row, row)
	require.NoError(t, env.engine.WaitAll(t.Context()))
	add, found := cpu.LineOf("add/float32")
	require.True(t, found)
	for name, operands := range map[string][]*Tensor{"row": {whole, row}, "row first": {row, whole}, "short row": {thin, floats32(env, 1, 3)}} {
		require.NotNil(t, Add.short(nil, nil, operands), name)
	}
	for name, operands := range map[string][]*Tensor{"column": {whole, column}, "column first": {column, whole}} {
		require.Equal(t, add.Repeats(40), Add.short(nil, nil, operands) != nil, "%s: only assembly repeats an element", name)
	}
	for name, operands := range map[string][]*Tensor{
		"row and column": {row, column}, "short column": {thin, floats32(env, 1, 40, 1)}, "many rows": {floats32(env, 1, 400, 2), floats32(env, 1, 2)},
		"wrong row": {whole, floats32(env, 1, 20)}, "middle axis": {floats32(env, 1, 2, 3, 40), floats32(env, 1, 3, 1)},
	} {
		require.Nil(t, Add.short(nil, nil, operands), name)
	}
	requireShort(t, Add, whole, whole, row)
	require.Nil(t, Add.short(nil, row, []*Tensor{whole, row}), "into the row")
	first := whole.view
	first.Shape, first.Strides = []int{40}, []int{1}
	require.Nil(t, Add.short(nil, whole, []*Tensor{whole, NewTensor(first, env)}), "a row of the result")
}

func TestAShortcutMakesOneObject(t *testing.T) {
	env := newEnv(t, "perdevice")
	x, y := floats32(env, 1, 16), floats32(env, 2, 16)
	dst := InvokeOne(Add, nil, x, y)
	require.NoError(t, env.engine.WaitAll(t.Context()))
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { InvokeOne(Add, nil, x, y) }), 1.0)
	outputs := []*Tensor{dst}
	require.Zero(t, testing.AllocsPerRun(100, func() { InvokeInto(Add, nil, outputs, dst, y) }))
}

func TestShortcutsAreNotTakenWhereAnybodyWouldNotice(t *testing.T) {
	env := newEnv(t, "perdevice")
	x, y := floats32(env, 1, 16), floats32(env, 2, 16)
	InvokeOne(Add, nil, x, y)
	require.NoError(t, env.engine.WaitAll(t.Context()))
	require.NotNil(t, Add.short(nil, nil, []*Tensor{x, y}))
	released, saved, failed := floats32(env, 1, 16), floats32(env, 1, 16), floats32(env, 1, 16)
	released.Release()
	env.engine.Atomically(func(engine.Pusher) { defer saved.view.Synced.Hold(fault.Here(0)) })
	env.engine.Push(&engine.Operation{
		Name: "fails", Function: engine.FunctionOf(func(*engine.RunContext) error { return context.Canceled }),
		Accesses: []engine.Access{{Var: failed.view.Synced.Var(), Mode: engine.Update}},
	})
	require.Error(t, failed.Wait(t.Context()))
	wide, integers, other := floats32(env, 1, 32), newArray(dtype.Int32, []int{16}).tensor(env), floats32(newEnv(t, "perdevice"), 1, 16)
	every := wide.view
	every.Shape, every.Strides = []int{16}, []int{2}
	part := wide.view
	part.Shape, part.Strides, part.Offset = []int{16}, []int{1}, 1
	for name, operands := range map[string][]*Tensor{
		"missing": {x}, "nil": {x, nil}, "shape": {x, wide}, "dtype": {x, integers}, "engine": {x, other}, "strided": {x, NewTensor(every, env)},
		"released": {released, x}, "in error": {x, failed}, "watched": {x.Watched(new(tape), 0), y}, "large": {floats32(env, 0, 9000), floats32(env, 0, 9000)},
		"empty": {floats32(env, 0, 0), floats32(env, 0, 0)}, "scoped": {x.In(env.WithScope(t.Context())), y},
	} {
		require.Nil(t, Add.short(nil, nil, operands), name)
	}
	for name, dst := range map[string]*Tensor{
		"shape": wide, "dtype": integers, "engine": other, "strided": NewTensor(every, env), "released": released, "in error": failed,
		"saved": saved, "watched": floats32(env, 1, 16).Watched(new(tape), 0),
	} {
		require.Nil(t, Add.short(nil, dst, []*Tensor{x, y}), name)
	}
	start := wide.view
	start.Shape, start.Strides = []int{16}, []int{1}
	require.Nil(t, Add.short(nil, NewTensor(part, env), []*Tensor{x, NewTensor(start, env)}), "overlapping")
	requireShort(t, Add, NewTensor(part, env), x, NewTensor(part, env))
}

// Goroutines add to arrays of their own and to a part of a common one, to which they add as a whole, too: at rest or by operations.
func TestShortcutsKeepTheirPlacesAmongOperations(t *testing.T) {
	const goroutines, each, wide = 4, 100, 3000
	env := newEnv(t, "perdevice")
	common, one, ones := newArray(dtype.Float32, []int{wide}).tensor(env), floats32(env, 1, 1), newArray(dtype.Float32, []int{wide})
	for i := range ones.values {
		ones.values[i] = 1
	}
	large := ones.tensor(env)
	part := common.view
	part.Shape, part.Strides = []int{1}, []int{1}
	narrow := []*Tensor{NewTensor(part, env)}
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			sum := floats32(env, 0, 1)
			for i := range each {
				InvokeInto(Add, nil, narrow, narrow[0], one)
				if i%10 == 0 {
					InvokeInto(Add, nil, []*Tensor{common}, common, large)
				}
				sum = InvokeOne(Sub, nil, InvokeOne(Add, nil, sum, narrow[0]), InvokeOne(Sub, nil, narrow[0], one))
			}
			if err := sum.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	want := newArray(dtype.Float32, []int{wide})
	for i := range want.values {
		want.values[i] = goroutines * each / 10
	}
	want.values[0] += goroutines * each
	require.Equal(t, contents(t, want.tensor(env)), contents(t, common))
	require.Equal(t, uint64(goroutines*each*11/10), common.view.Synced.Var().Version())
}
