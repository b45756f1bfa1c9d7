package ops

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/storage"
)

// TestScratchMemoryIsBorrowedWhileTheOperatorRuns calls an operator that reverses its operand through temporary memory.
func TestScratchMemoryIsBorrowedWhileTheOperatorRuns(t *testing.T) {
	const bytes = 80_000
	place := device.CPU(77) // nobody else's memory is counted there
	env := newEnv(t, "perdevice").WithDevice(place)
	manager, err := storage.ManagerOf(place)
	require.NoError(t, err)
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
