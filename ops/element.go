package ops

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// elementReader reads one element as a brief operation of an engine. It is used again and again, so that a read allocates nothing.
type elementReader struct {
	engine    engine.Engine
	view      storage.View
	host      device.Device
	replica   *storage.Replica
	done      *engine.Var
	operation engine.Operation
	register  func(p engine.Pusher)
	data      [2]uint64
	users     atomic.Int32 // who still looks at it: the engine, and who waits for it
}

// elementReaders are those that are idle.
var elementReaders sync.Pool

// Element returns the bytes of the only element of view, as an operation of the engine of env: it waits for it alone, and returns the error
// that sticks to it.
func Element(view storage.View, env *Env, site *fault.Site) (data [2]uint64, err error) {
	r, _ := elementReaders.Get().(*elementReader)
	if r == nil || r.engine != env.engine {
		r = &elementReader{engine: env.engine, done: env.engine.NewVar()}
		r.register = r.push
		r.operation = engine.Operation{Name: "access", Function: r, KeepOnSkip: true, Brief: true, Inline: true}
	}
	r.view, r.host, r.operation.Site = view, env.device, site // memory that other processes write has no copy elsewhere
	if !r.host.OnHost() {
		r.host = device.CPU(0)
	}
	r.operation.Device = r.host
	r.users.Store(2)
	r.engine.Atomically(r.register)
	if err = r.engine.Wait(context.Background(), r.done); err != nil {
		if sticky := view.Synced.Var().Err(); sticky != nil {
			err = sticky
		}
		return data, err
	}
	data = r.data
	r.Recycle()
	return data, nil
}

// Recycle implements engine.Recycler. The last user makes r idle.
func (r *elementReader) Recycle() {
	if r.users.Add(-1) == 0 {
		r.view, r.replica = storage.View{}, nil
		clear(r.operation.Accesses)
		elementReaders.Put(r)
	}
}

func (r *elementReader) push(p engine.Pusher) {
	lo, hi := r.view.Extent()
	r.replica, r.operation.Accesses = r.view.Synced.Acquire(p, r.host, engine.Read, lo, hi, r.operation.Accesses[:0], r.operation.Site)
	r.operation.Accesses = append(r.operation.Accesses, engine.Access{Var: r.done, Mode: engine.Write})
	p.Push(&r.operation)
}

// Run implements engine.Function.
func (r *elementReader) Run(*engine.RunContext) error {
	start, err := r.replica.Claim()
	if err != nil {
		return err
	}
	size := r.view.DType.Size()
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&r.data)), size), start.Add(r.view.Offset*size).Bytes(size))
	return nil
}
