package gpu

import (
	"context"
	"testing"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/kernels/cuda"
)

// BenchmarkChainCaptured is BenchmarkChain as operations of an engine that repeat, so that they are a CUDA graph.
func BenchmarkChainCaptured(b *testing.B) {
	full(b, 0, 1)
	gpu, e := cuda.Default(), engine.NewPerDevice()
	defer e.Close(context.Background())
	memory, err := gpu.Allocate(0, 8*1024)
	if err != nil {
		b.Fatal(err)
	}
	defer gpu.Free(0, memory, 8*1024)
	at := func(offset int) device.View {
		return device.View{Pointer: memory.Add(offset), DType: dtype.Float32, Shape: []int{1024}, Strides: []int{1}}
	}
	y, one := at(0), at(4*1024)
	add, _ := gpu.Kernel("add/float32")
	v := e.NewVar()
	operation := func(run engine.FunctionOf) engine.Operation {
		return engine.Operation{
			Name: "add", Device: device.GPU(0), Repeats: true, Accesses: []engine.Access{{Var: v, Mode: engine.Update}}, Function: run,
		}
	}
	clear := operation(func(rc *engine.RunContext) error { return rc.Stream.Fill(memory, 8*1024) })
	e.Push(&clear)
	all := make([]engine.Operation, 1000)
	for i := range all {
		all[i] = operation(func(rc *engine.RunContext) error {
			return add.Launch(rc.Stream, &device.Arguments{Outputs: []device.View{y}, Inputs: []device.View{y, one}})
		})
	}
	chain := e.NewBulkOperator(all...)
	run := func() {
		e.Push(chain)
		if err := e.Wait(context.Background(), v); err != nil {
			b.Fatal(err)
		}
	}
	for range 3 { // until it is kept
		run()
	}
	for b.Loop() {
		run()
	}
}
