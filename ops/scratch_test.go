package ops

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/storage"
)

// ownManager gives d a manager where nobody else's memory is counted.
func ownManager(t *testing.T, d device.Device) storage.Manager {
	m, err := storage.NewPooled(d)
	require.NoError(t, err)
	storage.SetManager(d, m)
	return m
}

// TestScratchMemoryIsBorrowedWhileTheOperatorRuns calls an operator that reverses its operand through temporary memory.
func TestScratchMemoryIsBorrowedWhileTheOperatorRuns(t *testing.T) {
	const bytes = 80_000
	place := device.CPU(77)
	env := newEnv(t, "perdevice").WithDevice(place)
	manager := ownManager(t, place)
	borrowed := int64(0)
	reverse := &Operator{
		Name: "reverse through scratch", Doc: "x backwards", Inputs: []string{"x"},
		Infer: func(c *Call) { c.Output(c.Inputs[0].DType, c.Inputs[0].Shape) },
		Lower: func(c *Call, l *Lowered) { l.Scratch = bytes },
	}
	remember(kernelKey{operator: reverse.Name, kind: device.KindCPU, signature: [2]dtype.DType{dtype.Bool}}, kernel{
		host: func(_ *parallel.Thread, a *device.Arguments) error {
			borrowed = manager.Stats().InUse
			in, out, scratch := a.Inputs[0].Pointer.Bytes(3), a.Outputs[0].Pointer.Bytes(3), a.Scratch.Bytes(bytes)
			for i := range scratch {
				scratch[i] = in[i%3]
			}
			for i := range out {
				out[i] = scratch[bytes-bytes%3-1-i]
			}
			return nil
		},
	})
	x := FromBytes(env, dtype.Bool, []byte{1, 0, 0}, []int{3})
	for range 2 {
		y := Invoke(reverse, nil, x)[0]
		require.NoError(t, y.Wait(context.Background()))
		require.GreaterOrEqual(t, borrowed, int64(bytes))
		require.Zero(t, manager.Stats().InUse, "it was returned")
		require.Equal(t, []float64{0, 0, 1}, valuesOf(t, y))
	}
}

// TestFailedBorrowersLeaveNothingToTheNext lets kernels that have borrowed memory fail and panic, and others borrow it next.
func TestFailedBorrowersLeaveNothingToTheNext(t *testing.T) {
	place := device.CPU(79)
	env := newEnv(t, "perdevice").WithDevice(place)
	manager := ownManager(t, place)
	failing := &Operator{
		Name: "failing with scratch", Doc: "x, or no result", Inputs: []string{"x"},
		Infer: func(c *Call) { c.Output(c.Inputs[0].DType, c.Inputs[0].Shape) },
		Lower: func(c *Call, l *Lowered) { l.Scratch = 80_000 },
	}
	broken := errors.New("broken")
	remember(kernelKey{operator: failing.Name, kind: device.KindCPU, signature: [2]dtype.DType{dtype.Uint8}}, kernel{
		host: func(_ *parallel.Thread, a *device.Arguments) error {
			in, out, scratch := a.Inputs[0].Pointer.Bytes(1), a.Outputs[0].Pointer.Bytes(1), a.Scratch.Bytes(80_000)
			scratch[len(scratch)-1] = in[0]
			switch in[0] {
			case 1:
				return broken
			case 2:
				panic("oh")
			}
			out[0] = scratch[len(scratch)-1]
			return nil
		},
	})
	var results []*Tensor
	for i := range 60 {
		x := FromBytes(env, dtype.Uint8, []byte{byte(i % 6)}, []int{1})
		results = append(results, Invoke(failing, nil, x)[0])
	}
	for i, y := range results {
		switch err := y.Wait(context.Background()); i % 6 {
		case 1:
			require.ErrorIs(t, err, broken)
		case 2:
			require.ErrorContains(t, err, "oh")
		default:
			require.NoError(t, err)
			require.Equal(t, []float64{float64(i % 6)}, valuesOf(t, y))
		}
	}
	require.Zero(t, manager.Stats().InUse, "it was returned")
}

// TestOperatorsBorrowWhatTheirKernelsTake counts allocations where operands and results are too small to need any.
func TestOperatorsBorrowWhatTheirKernelsTake(t *testing.T) {
	place := device.CPU(78)
	env := newEnv(t, "perdevice").WithDevice(place)
	manager := ownManager(t, place)
	for _, s := range []struct {
		op *Operator
		dtype.DType
		Sample
	}{
		{MatMul, dtype.Int16, Sample{Shapes: [][]int{{40, 25}, {25, 30}}}},
		{Take, dtype.Float32, Sample{Shapes: [][]int{{7}, {600}}, Params: TakeParams{0, "raise"}}},
	} {
		c := newCase(s.op, s.Sample, s.DType)
		before := manager.Stats().Allocations
		requireClose(t, c.row.reference(c.in, c.sample.Params)[0], c.call(env, c.place(env, rowMajor))[0], max(c.row.ulps, 90))
		after := manager.Stats()
		require.Equal(t, uint64(1), after.Allocations-before, s.op.Name)
		require.Zero(t, after.InUse, s.op.Name)
	}
}

// TestReductionsBorrowOnlyForManyPartialResults repeats one element, so that the operand needs no memory.
func TestReductionsBorrowOnlyForManyPartialResults(t *testing.T) {
	place := device.CPU(79)
	env := newEnv(t, "perdevice").WithDevice(place)
	manager := ownManager(t, place)
	one := array{dtype.Float64, []int{}, []float64{1}, nil}.tensor(env)
	for _, c := range []struct {
		rows, columns int
		borrows       uint64
	}{{70_000, 20, 1}, {1000, 20, 0}, {20, 2, 0}} {
		v := one.view
		v.Shape, v.Strides = []int{c.rows, c.columns}, []int{0, 0}
		for op, want := range map[*Operator]float64{Sum: float64(c.rows), ArgMax: 0} {
			before := manager.Stats().Allocations
			got := valuesOf(t, Invoke(op, ReduceParams{Axes: []int{0}}, NewTensor(v, env))[0])
			require.Equal(t, slices.Repeat([]float64{want}, c.columns), got)
			require.Equal(t, c.borrows, manager.Stats().Allocations-before, "%s of %v", op.Name, c)
		}
		require.Zero(t, manager.Stats().InUse)
	}
}
