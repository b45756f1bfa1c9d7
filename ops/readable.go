package ops

import (
	"context"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
)

// afterwards is where arrays of closed engines are read.
var afterwards = sync.OnceValue(func() *Env { return NewEnv(engine.NewNaive()) })

// Readable returns t, or, if its engine was closed and the elements are in host memory, a copy of them in an engine that runs
// operators where they are called: results outlast their engine. It waits for what was pushed on t before the engine was
// closed. If t is in error it is returned, and reading it gives the error.
func (t *Tensor) Readable() *Tensor {
	e := t.env.engine
	if !e.Closed() || t.Wait(context.Background()) != nil {
		return t
	}
	host := t.env.device
	if !host.OnHost() {
		host = device.CPU(0)
	}
	lo, hi := t.view.Extent()
	data, there := make([]byte, hi-lo), false
	// A deletion of the memory comes before or after.
	e.Atomically(func(engine.Pusher) { there = t.view.Synced.CopyRemains(host, data, lo) })
	if !there {
		return t
	}
	view := t.view
	view.Synced = FromBytes(afterwards(), dtype.Uint8, data, []int{len(data)}).view.Synced
	view.Offset -= lo / view.DType.Size()
	return NewTensor(view, afterwards())
}
