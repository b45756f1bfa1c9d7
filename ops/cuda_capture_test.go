//go:build linux && amd64

package ops

import (
	"context"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/kernels/cuda"
)

// TestEnginesRunRepeatedOperationsByOneCall pushes a bulk again and again; its work is kept unless the driver refuses.
func TestEnginesRunRepeatedOperationsByOneCall(t *testing.T) {
	fake := fakeGPU(t)
	defer fake.Set("noGraphs", 0)
	_, err := cuda.Default().Count()
	require.NoError(t, err)
	for _, kind := range []string{"perdevice", "pooled", "naive"} {
		for _, refuses := range []int64{0, 1} {
			fake.Set("noGraphs", refuses)
			e, err := engine.New(kind)
			require.NoError(t, err)
			p, err := cuda.Default().Allocate(0, 16)
			require.NoError(t, err)
			v := e.NewVar()
			neg, _ := cuda.Default().Kernel("neg/float32")
			view := device.View{Pointer: p, DType: dtype.Float32, Shape: []int{4}, Strides: []int{1}}
			on := func(name string, run engine.FunctionOf) engine.Operation {
				return engine.Operation{
					Name: name, Device: device.GPU(0), Repeats: true, Accesses: []engine.Access{{Var: v, Mode: engine.Update}}, Function: run,
				}
			}
			negate := on("neg", func(rc *engine.RunContext) error {
				return neg.Launch(rc.Stream, &device.Arguments{Outputs: []device.View{view}, Inputs: []device.View{view}})
			})
			host := []float32{1, 2, 3, 4}
			upload := on("upload", func(rc *engine.RunContext) error {
				return rc.Stream.Copy(p, device.Pointer{Host: unsafe.Pointer(&host[0])}, 16)
			})
			e.Push(&upload)
			step, before := e.NewBulkOperator(negate, negate, negate), fake.Get("replays")
			for range 7 {
				e.Push(step)
			}
			require.NoError(t, e.Wait(context.Background(), v))
			got := make([]float32, 4)
			download := on("download", func(rc *engine.RunContext) error {
				return rc.Stream.Copy(device.Pointer{Host: unsafe.Pointer(&got[0])}, p, 16)
			})
			e.Push(&download)
			require.NoError(t, e.Wait(context.Background(), v))
			require.Equal(t, []float32{-1, -2, -3, -4}, got, kind)
			if refuses != 0 {
				require.Equal(t, before, fake.Get("replays"))
			} else {
				require.Equal(t, before+5, fake.Get("replays"), kind)
			}
			require.NoError(t, e.Close(context.Background()))
		}
	}
}
