package ops

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
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
func requireShort(t *testing.T, op *Operator, params any, dst *Tensor, inputs ...*Tensor) {
	require.NoError(t, dst.Wait(t.Context()))
	for op.byShortcut(params, dst, inputs) == nil {
		runtime.Gosched()
	}
}

// elementWise are the operators that shortcuts may be of, though arrays have no methods of those forms for them.
var elementWise = []*Operator{Cast, Copy, Clamp, Complex, Where}

// shortcutShapes are shapes of two operands, or three; operators of fewer take the first of them.
var shortcutShapes = [][][]int{
	{{16}, {16}}, {{3, 70}, {3, 70}}, {{3, 70}, {}}, {{1, 1}, {1000}}, {{}, {}},
	{{5, 33}, {33}}, {{5, 33}, {5, 1}}, {{33}, {5, 33}}, {{4, 1, 1}, {4, 3, 17}}, {{2, 2, 40}, {1, 2, 40}}, {{40, 3}, {1, 3}}, {{1, 40, 3}, {1, 40, 1}}, {{3, 0}, {0}}, {{3, 1}, {1, 3}}, {{1, 16}, {16}},
	{{16}, {16}, {16}}, {{3, 70}, {3, 70}, {}}, {{3, 70}, {}, {3, 70}}, {{}, {3, 70}, {3, 70}}, {{}, {}, {3, 70}}, {{3, 70}, {70}, {3, 70}},
	{{5, 33}, {5, 33}, {5, 1}}, {{5, 1}, {5, 33}, {}}, {{3, 1}, {1, 3}, {3, 3}}, {{}, {}, {}}, {{1}, {}, {1, 1}}, {{}, {0}, {}},
}

func TestOnlyElementWiseOperatorsHaveShortcuts(t *testing.T) {
	for _, op := range All() {
		if op.Form == FormUnary || op.Form == FormBinary || slices.Contains(elementWise, op) || op.shortcuts == nil {
			continue
		}
		for _, d := range dtype.All() {
			_, found := cpu.LineOf(device.KernelName(op.Name, d))
			require.False(t, found, "%s of %v", op.Name, d)
		}
	}
}

// An Env with a cancel scope never takes a shortcut: its results are those of operations.
func TestShortcutsGiveTheBitsOfOperations(t *testing.T) {
	env := newEnv(t, "perdevice")
	scoped, taken := env.WithScope(t.Context()), map[string]int{}
	check := func(op *Operator, params any, d dtype.DType, shapes [][]int) {
		c := newCase(op, Sample{Shapes: shapes}, d)
		var inputs, others []*Tensor
		for _, a := range c.in {
			inputs, others = append(inputs, a.tensor(env)), append(others, a.tensor(scoped))
		}
		want := InvokeOne(op, params, others...)
		dst := InvokeOne(op, params, inputs...)
		require.NoError(t, env.engine.WaitAll(t.Context()))
		got := op.byShortcut(params, nil, inputs)
		if got == nil {
			return // As where a bool becomes a float first.
		}
		taken[op.Name]++
		name := fmt.Sprintf("%s of %v %v %v", op.Name, d, shapes, params)
		require.Equal(t, want.DType(), got.DType(), name)
		require.Equal(t, want.Shape(), got.Shape(), name)
		require.Equal(t, contents(t, want), contents(t, got), name)
		version := func(x *Tensor) uint64 {
			require.Equal(t, x.view.Synced.Var().Version(), x.view.Synced.Var().Sequence(), name)
			return x.view.Synced.Var().Version()
		}
		require.Equal(t, uint64(1), version(got), name)
		before := version(dst)
		requireShort(t, op, params, dst, inputs...)
		require.Equal(t, contents(t, want), contents(t, dst), name)
		require.Equal(t, before+1, version(dst), name)
	}
	for _, op := range All() {
		if op.Form != FormUnary && op.Form != FormBinary && !slices.Contains(elementWise, op) || op.shortcuts == nil {
			continue
		}
		for _, d := range dtypesOf(op) {
			for i, shapes := range shortcutShapes {
				switch count := len(op.Inputs); {
				case count > len(shapes) || testing.Short() && i%5 > 0:
				case op == Cast && d.IsComplex():
					check(op, CastParams{dtype.Bool}, d, shapes[:count])
				case op == Cast:
					for _, to := range []dtype.DType{dtype.Bool, dtype.Int16, dtype.Float16, dtype.Float32, dtype.Complex128} {
						check(op, CastParams{to}, d, shapes[:count])
					}
				default:
					check(op, nil, d, shapes[:count])
				}
			}
		}
	}
	for _, op := range append(elementWise, Neg, Add, Less) {
		require.Greater(t, taken[op.Name], 4, op.Name)
	}
}

func TestShortcutsOfOneExponentGiveTheBitsOfManyExponents(t *testing.T) {
	env := newEnv(t, "perdevice")
	inf, tiny := math.Inf(1), math.Ldexp(1, -149)
	values := []float64{0, math.Copysign(0, -1), 1, -1, 0.3, -0.3, 2.75, -2.75, 1e19, -1e19, tiny, -tiny, inf, -inf, math.NaN()}
	for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		x := newArray(d, []int{37, len(values)})
		for i := range x.values {
			x.values[i] = values[i%len(values)]
		}
		for _, exponent := range []float64{2, 3, 0.5, -0.5, -1, -2, 1, 0, -3, 1.5, math.Copysign(0, -1), inf, math.NaN()} {
			one, many := newArray(d, nil), newArray(d, x.shape)
			one.values[0] = exponent
			for i := range many.values {
				many.values[i] = exponent
			}
			base, single := x.tensor(env), one.tensor(env)
			want := InvokeOne(Pow, nil, base, many.tensor(env))
			dst := InvokeOne(Pow, nil, base, single)
			for range 2 {
				requireShort(t, Pow, nil, dst, base, single)
				require.Equal(t, bitsOfNumbers(contents(t, want), d), bitsOfNumbers(contents(t, dst), d), "%v to the power of %v", d, exponent)
			}
		}
	}
}

// bitsOfNumbers returns the bits of floats, of all NaN the same.
func bitsOfNumbers(data []byte, d dtype.DType) (bits []uint64) {
	for at := 0; at < len(data); at += d.Size() {
		var v uint64
		for i := range d.Size() {
			v |= uint64(data[at+i]) << (8 * i)
		}
		if f := elementOf(d, v); f != f {
			v = math.MaxUint64
		}
		bits = append(bits, v)
	}
	return bits
}

func elementOf(d dtype.DType, bits uint64) float64 {
	switch d {
	case dtype.Float16:
		return float64(dtype.F16(bits).Float32())
	case dtype.BFloat16:
		return float64(dtype.BF16(bits).Float32())
	case dtype.Float32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
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
		require.NotNil(t, Add.byShortcut(nil, nil, operands), name)
	}
	for name, operands := range map[string][]*Tensor{"column": {whole, column}, "column first": {column, whole}} {
		require.Equal(t, add.Repeats(40), Add.byShortcut(nil, nil, operands) != nil, "%s: only assembly repeats an element", name)
	}
	for name, operands := range map[string][]*Tensor{
		"row and column": {row, column}, "short column": {thin, floats32(env, 1, 40, 1)}, "many rows": {floats32(env, 1, 400, 2), floats32(env, 1, 2)},
		"wrong row": {whole, floats32(env, 1, 20)}, "middle axis": {floats32(env, 1, 2, 3, 40), floats32(env, 1, 3, 1)},
	} {
		require.Nil(t, Add.byShortcut(nil, nil, operands), name)
	}
	requireShort(t, Add, nil, whole, whole, row)
	require.Nil(t, Add.byShortcut(nil, row, []*Tensor{whole, row}), "into the row")
	first := whole.view
	first.Shape, first.Strides = []int{40}, []int{1}
	require.Nil(t, Add.byShortcut(nil, whole, []*Tensor{whole, NewTensor(first, env)}), "a row of the result")
}

// Loops without assembly, and of fewer elements than a vector has, are told one element for all as well.
func TestShortcutsOfFewElementsAndOne(t *testing.T) {
	env := newEnv(t, "perdevice")
	scoped := env.WithScope(t.Context())
	for _, op := range []*Operator{Add, Less, Pow, Atan2, Hypot} {
		for _, shapes := range [][][]int{{{5}, {}}, {{}, {5}}, {{300}, {1}}} {
			of := func(env *Env) []*Tensor {
				return []*Tensor{floats32(env, 1, shapes[0]...), floats32(env, 2, shapes[1]...)}
			}
			want, inputs := InvokeOne(op, nil, of(scoped)...), of(env)
			InvokeOne(op, nil, inputs...)
			require.NoError(t, env.engine.WaitAll(t.Context()))
			got := op.byShortcut(nil, nil, inputs)
			require.NotNil(t, got, "%s %v", op.Name, shapes)
			require.Equal(t, contents(t, want), contents(t, got), "%s %v", op.Name, shapes)
		}
	}
}

// So large that threads share the loop, and so small that its caller is one of them.
func TestSharedShortcutsGiveTheBitsOfOperations(t *testing.T) {
	env := newEnv(t, "perdevice", poolOf(t, 3))
	scoped := env.WithScope(t.Context())
	for _, op := range []*Operator{Neg, Add, Less, Clamp} {
		line, found := cpu.LineOf(op.Name + "/float32")
		require.True(t, found)
		rows := int(1.5 * restNanoseconds / line.Nanoseconds(100))
		shapes := [][][]int{{{rows, 100}, {rows, 100}, {rows, 100}}, {{rows*100 + 1}, {}, {}}, {{rows, 100}, {100}}, {{100}, {rows, 100}}, {{rows, 100}, {rows, 1}}}
		for _, shapes := range shapes[:min(len(shapes), []int{1: 1, 2: 5, 3: 2}[len(op.Inputs)])] {
			var inputs, others []*Tensor
			for i, shape := range shapes[:len(op.Inputs)] {
				inputs, others = append(inputs, floats32(env, float32(-100*i), shape...)), append(others, floats32(scoped, float32(-100*i), shape...))
			}
			name := fmt.Sprintf("%s %v", op.Name, shapes)
			want, dst := InvokeOne(op, nil, others...), InvokeOne(op, nil, inputs...)
			require.NoError(t, env.engine.WaitAll(t.Context()))
			r := straight{dst: dst}
			if !r.find(op, nil, inputs) {
				require.False(t, line.Repeats(100), name)
				continue
			}
			require.True(t, r.shared, name)
			requireShort(t, op, nil, dst, inputs...)
			require.Equal(t, contents(t, want), contents(t, dst), name)
			requireShort(t, op, nil, dst, inputs...) // when the workers are awake
			require.Equal(t, contents(t, want), contents(t, dst), name)
		}
	}
}

// A loop may be worth sharing though it has fewer elements than a thread gets at least.
func TestSharedShortcutsComputeFewElements(t *testing.T) {
	env := newEnv(t, "perdevice", poolOf(t, 3))
	line, found := cpu.LineOf("pow/complex128")
	require.True(t, found)
	x := newArray(dtype.Complex128, []int{int(restNanoseconds/line.Nanoseconds(1)) + 1})
	require.Less(t, len(x.values), sharedElements)
	for i := range x.values {
		x.values[i] = float64(1 + i)
	}
	inputs := []*Tensor{x.tensor(env), x.tensor(env)}
	want, dst := InvokeOne(Pow, nil, x.tensor(env.WithScope(t.Context())), inputs[1]), InvokeOne(Neg, nil, inputs[0])
	requireShort(t, Pow, nil, dst, inputs...)
	require.Equal(t, contents(t, want), contents(t, dst))
}

func TestShortcutsReadZerosThatNobodyHasWritten(t *testing.T) {
	env := newEnv(t, "perdevice")
	x, zeros := floats32(env, 1, 16), NewTensor(storage.NewView(storage.NewSynced(env.engine, 64), dtype.Float32, []int{16}), env)
	require.Nil(t, Add.byShortcut(nil, nil, []*Tensor{x, zeros}), "there is no memory yet")
	want := InvokeOne(Add, nil, x, zeros)
	require.NoError(t, env.engine.WaitAll(t.Context()))
	got := Add.byShortcut(nil, nil, []*Tensor{x, zeros})
	require.NotNil(t, got)
	require.Equal(t, contents(t, want), contents(t, got))
	requireShort(t, Add, nil, zeros, x, x)
	require.Equal(t, contents(t, InvokeOne(Add, nil, x, x)), contents(t, zeros))
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
	require.NotNil(t, Add.byShortcut(nil, nil, []*Tensor{x, y}))
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
		require.Nil(t, Add.byShortcut(nil, nil, operands), name)
	}
	for name, dst := range map[string]*Tensor{
		"shape": wide, "dtype": integers, "engine": other, "strided": NewTensor(every, env), "released": released, "in error": failed,
		"saved": saved, "watched": floats32(env, 1, 16).Watched(new(tape), 0),
	} {
		require.Nil(t, Add.byShortcut(nil, dst, []*Tensor{x, y}), name)
	}
	start := wide.view
	start.Shape, start.Strides = []int{16}, []int{1}
	require.Nil(t, Add.byShortcut(nil, NewTensor(part, env), []*Tensor{x, NewTensor(start, env)}), "overlapping")
	requireShort(t, Add, nil, NewTensor(part, env), x, NewTensor(part, env))
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
