package ops

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

func TestDestinationsOfAnyLayoutReceiveTheResult(t *testing.T) {
	env := newEnv(t, "perdevice")
	eachCase(t, func(t *testing.T, c testCase) {
		for _, place := range []*Env{env, simOf(env)} {
			want := c.run(t, place)
			for how := range layouts {
				outputs, operands := []*Tensor{}, c.place(place, rowMajor)
				results, _ := c.reference()
				for _, a := range results[:len(results)-len(c.mutated(operands))] {
					outputs = append(outputs, newArray(a.dtype, a.shape).placed(place, how))
				}
				if c.op.Draws {
					outputs, operands = seeded(outputs), seeded(operands)
				}
				InvokeInto(c.op, c.sample.Params, outputs, operands...)
				for i, x := range append(outputs, c.mutated(operands)...) {
					require.Equal(t, want[i], mustBytes(t, x), "%v on %v", how, place.Device())
				}
			}
		}
	})
}

func TestDestinationLeavesItsSurroundingsAlone(t *testing.T) {
	env := newEnv(t, "perdevice")
	for how := backward; how < layouts; how++ {
		x := newArray(dtype.Float64, []int{3, 4}).placed(env, how)
		all := NewTensor(storage.View{Synced: x.view.Synced, DType: dtype.Float64, Shape: []int{x.view.Synced.Bytes() / 8}, Strides: []int{1}}, env)
		before := valuesOf(t, all)
		InvokeInto(Fill, FillParams{Shape: []int{3, 4}, DType: dtype.Float64, Value: 9}, []*Tensor{x})
		changed := 0
		for i, v := range valuesOf(t, all) {
			if v == 9 {
				changed++
			} else {
				require.Equal(t, before[i], v)
			}
		}
		require.Equal(t, 12, changed)
	}
}

func TestElementWiseOperatorsWorkInPlace(t *testing.T) {
	env := newEnv(t, "perdevice")
	eachCase(t, func(t *testing.T, c testCase) {
		if c.op.Form != FormUnary && c.op.Form != FormBinary {
			return
		}
		want := Invoke(c.op, nil, c.place(env, rowMajor)...)[0]
		for how := range layouts {
			for i := range c.in {
				operands := c.place(env, how)
				if operands[i].DType() != want.DType() || !slices.Equal(operands[i].Shape(), want.Shape()) {
					continue
				}
				InvokeInto(c.op, nil, operands[i:i+1], operands...)
				require.Equal(t, mustBytes(t, want), mustBytes(t, operands[i]), "%v operand %d", how, i)
			}
		}
	})
}

// TestOverlappingMemoryIsCopiedFirst writes results to memory that operands see in another way.
func TestOverlappingMemoryIsCopiedFirst(t *testing.T) {
	env := newEnv(t, "perdevice")
	matrix := func() *Tensor {
		return made(dtype.Float64, []int{3, 3}, func(i []int) float64 { return float64(3*i[0] + i[1]) }).tensor(env)
	}
	part := func(x *Tensor, s ...storage.Span) *Tensor { return Invoke(Slice, SliceParams{s}, x)[0] }
	rows := func(start int) []storage.Span {
		return []storage.Span{{Start: start, Count: 2, Step: 1}, {Count: 3, Step: 1}}
	}

	x := matrix()
	InvokeInto(Neg, nil, []*Tensor{part(x, rows(1)...)}, part(x, rows(0)...))
	require.Equal(t, []float64{0, 1, 2, 0, -1, -2, -3, -4, -5}, valuesOf(t, x))

	x = matrix()
	transposed := Invoke(Transpose, TransposeParams{}, x)[0]
	InvokeInto(Add, nil, []*Tensor{x}, x, transposed)
	require.Equal(t, []float64{0, 4, 8, 4, 8, 12, 8, 12, 16}, valuesOf(t, x))

	x = matrix()
	InvokeInto(Transpose, TransposeParams{}, []*Tensor{x}, x)
	require.Equal(t, []float64{0, 3, 6, 1, 4, 7, 2, 5, 8}, valuesOf(t, x))

	x = matrix()
	InvokeInto(MatMul, nil, []*Tensor{x}, x, x)
	require.Equal(t, []float64{15, 18, 21, 42, 54, 66, 69, 90, 111}, valuesOf(t, x))

	x = matrix()
	backwards := part(x, storage.Span{Start: 2, Count: 3, Step: -1}, storage.Span{Start: 2, Count: 3, Step: -1})
	InvokeInto(Copy, nil, []*Tensor{x}, backwards)
	require.Equal(t, []float64{8, 7, 6, 5, 4, 3, 2, 1, 0}, valuesOf(t, x))
}

func TestDestinationWithoutOperandsTellsWhereToRun(t *testing.T) {
	env := simOf(newEnv(t, "perdevice"))
	x := newArray(dtype.Float32, []int{4}).tensor(env)
	p := UniformParams{Shape: []int{4}, DType: dtype.Float32, High: 1}
	InvokeInto(Uniform, p, []*Tensor{x.In(env.WithSeed(3))})
	require.Equal(t, mustBytes(t, InvokeIn(env.WithSeed(3), Uniform, p)[0]), mustBytes(t, x))

	one, y := Scalar(newEnvOn(env, device.CPU(0)), 1, dtype.Float32), newArray(dtype.Float32, []int{}).tensor(env)
	InvokeInto(Add, nil, []*Tensor{y}, one, one)
	require.Equal(t, []float64{2}, valuesOf(t, y))
	InvokeInto(Transpose, TransposeParams{}, []*Tensor{y}, one)
	require.Equal(t, []float64{1}, valuesOf(t, y))
}

func newEnvOn(env *Env, d device.Device) *Env { return env.WithDevice(d) }

func TestMistakenDestinationsAreErrors(t *testing.T) {
	env := newEnv(t, "perdevice")
	of := func(d dtype.DType, shape ...int) *Tensor { return newArray(d, shape).tensor(env) }
	x := of(dtype.Float32, 2, 3)
	repeated := Invoke(BroadcastTo, BroadcastParams{[]int{2, 3}}, of(dtype.Float32, 3))[0]
	recorder := &tape{}
	for name, c := range map[string]struct {
		outputs []*Tensor
		x       *Tensor
		reason  error
		text    string
	}{
		"another shape":    {[]*Tensor{of(dtype.Float32, 3, 2)}, x, fault.ErrShape, `destination has shape \(3,2\), the result \(2,3\)`},
		"another type":     {[]*Tensor{of(dtype.Float64, 2, 3)}, x, fault.ErrDType, "destination has dtype float64, the result float32"},
		"too many":         {[]*Tensor{x, x}, x, fault.ErrMisuse, "2 destinations given, want 1"},
		"nil":              {[]*Tensor{nil}, x, fault.ErrMisuse, "destination 0 is nil"},
		"repeated":         {[]*Tensor{repeated}, x, fault.ErrMisuse, "broadcast view"},
		"watched":          {[]*Tensor{recorder.watch(of(dtype.Float32, 2, 3))}, x, fault.ErrMisuse, "destination is watched"},
		"watched operand":  {[]*Tensor{of(dtype.Float32, 2, 3)}, recorder.watch(x), fault.ErrMisuse, "gradient would be lost"},
		"another device":   {[]*Tensor{newArray(dtype.Float32, []int{2, 3}).tensor(simOf(env))}, x, fault.ErrDevice, `cpu\(0\) and sim\(0\)`},
		"another engine":   {[]*Tensor{newArray(dtype.Float32, []int{2, 3}).tensor(newEnv(t, "naive"))}, x, fault.ErrDevice, "two engines"},
		"released":         {[]*Tensor{released(of(dtype.Float32, 2, 3))}, x, fault.ErrReleased, "released"},
		"released operand": {[]*Tensor{of(dtype.Float32, 2, 3)}, released(of(dtype.Float32, 2, 3)), fault.ErrReleased, "released"},
	} {
		t.Run(name, func(t *testing.T) {
			e := mistake(t, func() { InvokeInto(Neg, nil, c.outputs, c.x) })
			require.ErrorIs(t, e, c.reason)
			require.Regexp(t, c.text, e.Error())
		})
	}
	e := mistake(t, func() {
		Invoke(SGD, SGDParams{}, repeated, of(dtype.Float32, 2, 3), of(dtype.Float32, 2, 3))
	})
	require.ErrorContains(t, e, "broadcast view")
}

func released(x *Tensor) *Tensor {
	x.Release()
	return x
}

// The first result is copied to memory of the operand, the second cannot be written.
func TestAMistakenDestinationBesideOneThatOverlapsChangesNothing(t *testing.T) {
	env := newEnv(t, "perdevice")
	x, params := floats32(env, 1, 1, 1, 4, 4), PoolParams{Kernel: []int{2, 2}}
	pool, found := Lookup("max_pool")
	require.True(t, found)
	results := Invoke(pool, params, x)
	require.Len(t, results, 2)
	part := NewTensor(storage.NewView(x.view.Synced, dtype.Float32, results[0].Shape()), env)
	env.engine.Atomically(func(engine.Pusher) { results[1].view.Synced.Hold(fault.Here(0)) })
	want := contents(t, x)
	require.Panics(t, func() { InvokeInto(pool, params, []*Tensor{part, results[1]}, x) })
	require.Equal(t, want, contents(t, x))
}
