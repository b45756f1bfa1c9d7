package ops

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// PeekElement sets element, a value of the dtype of t, to the element at the given offset, counted in elements from the one
// whose indices are all zero. It reports false, and does nothing, if that is not ready or is about to change, or if the engine
// is observed; then ReadElement has to be used.
func PeekElement(t *Tensor, offset int, element unsafe.Pointer) (done bool) {
	synced, home := t.view.Synced, t.env.device
	e := synced.Engine()
	if !home.OnHost() || !e.TryAlone(false) {
		return false
	}
	faults := debug.SetPanicOnFault(true) // so that memory which is gone does not end the process
	defer endElement(e, false, faults, &done)
	if memory := synced.Settled(home); memory != nil {
		size := uintptr(t.view.DType.Size())
		copyElement(element, unsafe.Add(memory, uintptr(t.view.Offset+offset)*size), size)
		done = true
	}
	runtime.KeepAlive(synced)
	return done
}

// endElement is deferred. If the memory was gone, the operation that follows reports it.
func endElement(e engine.Engine, writes, faults bool, done *bool) {
	debug.SetPanicOnFault(faults)
	if !*done {
		_ = recover()
	}
	e.EndAlone(writes, *done)
}

// PokeElement writes element as PeekElement reads it, if nobody reads or writes the array, and nothing forbids a write.
// Otherwise it does nothing and reports false: an operation has to do it.
func PokeElement(t *Tensor, offset int, element unsafe.Pointer) (done bool) {
	synced, home := t.view.Synced, t.env.device
	e := synced.Engine()
	if !t.env.isOrdinary() || len(t.nodes()) > 0 || !e.TryAlone(true) {
		return false
	}
	faults := debug.SetPanicOnFault(true)
	defer endElement(e, true, faults, &done)
	if memory := synced.Free(home); memory != nil {
		size := uintptr(t.view.DType.Size())
		copyElement(unsafe.Add(memory, uintptr(t.view.Offset+offset)*size), element, size)
		synced.CountWrite()
		done = true
	}
	runtime.KeepAlive(synced)
	return done
}

// copyElement copies an element of the given size, which is aligned as its dtype requires, by one instruction or two.
func copyElement(to, from unsafe.Pointer, size uintptr) {
	switch size {
	case 1:
		*(*uint8)(to) = *(*uint8)(from)
	case 2:
		*(*uint16)(to) = *(*uint16)(from)
	case 4:
		*(*uint32)(to) = *(*uint32)(from)
	case 8:
		*(*uint64)(to) = *(*uint64)(from)
	default:
		*(*complex128)(to) = *(*complex128)(from)
	}
}

// ElementOffset returns how far the element at index is from the one whose indices are all zero, in elements; negative indices
// count from the end. It reports false unless there is an index for each axis, all in range.
func (t *Tensor) ElementOffset(index []int) (offset int, found bool) {
	if len(index) != len(t.view.Shape) {
		return 0, false
	}
	for axis, i := range index {
		n := t.view.Shape[axis]
		if i < 0 {
			i += n
		}
		if uint(i) >= uint(n) {
			return 0, false
		}
		offset += i * t.view.Strides[axis]
	}
	return offset, true
}

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
	users     atomic.Int32 // who still uses it: the engine, and the goroutine that waits
}

// elementReaders are those that are idle.
var elementReaders sync.Pool

// ReadElement returns the bytes of the only element of view. It reads by an operation of the engine of env, waits for that
// alone, and returns the error that sticks to the element.
func ReadElement(view storage.View, env *Env, site *fault.Site) (data [2]uint64, err error) {
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
