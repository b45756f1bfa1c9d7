package storage

import (
	"log/slog"
	"runtime"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// SetMemory makes the memory at p, on d, the replica of s there, and what it holds the contents of s: it is Caffe's
// set_cpu_data and set_gpu_data. P must have as many bytes as s and be filled when SetMemory is called. The replica that
// was on d before is given back, those on other devices become stale; nothing is copied.
//
// It is an operation in the order of all others, and returns at once: operations pushed before use the old memory, those
// pushed later the new. From now on it is weft that touches p, whenever an operation that uses s needs it. With a nil free
// the memory is lent: weft never frees it, and it must stay valid until nothing uses s any more. Otherwise it is handed
// over: free is called exactly once, on a goroutine of its own, when the operations that use p are done and s was given
// other memory on d, was released, or was dropped and collected. Free must not refer to s, which would keep s alive.
//
// It panics with *fault.Error if p is nil though s has bytes, or is an address of another kind of device than d, or as
// Check does for a write; then p stays the caller's. Site is the place of the call; nil means the caller's line.
func (s *Synced) SetMemory(d device.Device, p device.Pointer, free func(), site *fault.Site) {
	if site == nil {
		site = fault.Here(1)
	}
	problem := ""
	switch {
	case s.first.bytes == 0:
	case p.IsNil():
		problem = "the memory is nil"
	case d.OnHost() != (p.Host != nil):
		problem = "the memory is not on " + d.String()
	}
	if problem != "" {
		panic(&fault.Error{Operator: "set memory", Detail: problem, Device: d.String(), Cause: fault.ErrMisuse, Site: site})
	}
	s.engine.Atomically(func(pusher engine.Pusher) {
		s.Check("set memory", engine.Write, site)
		given := &adoption{block: adopt(p)}
		if free != nil {
			given.owner = &owner{free: free}
			runtime.AddCleanup(given.block, (*owner).end, given.owner)
		}
		op := &engine.Operation{Name: "set memory", Function: given, Site: site}
		given.replica, op.Accesses = s.Acquire(pusher, d, engine.Write, 0, s.first.bytes, nil, site)
		s.relinquish()
		pusher.Push(op)
	})
}

// adoption is the function of an operation that gives a replica other memory. It runs on the host, so that the work of
// streams on the old memory is done.
type adoption struct {
	replica *Replica
	block   *Block
	owner   *owner // nil if the memory is lent
}

// Run implements engine.Function.
func (a *adoption) Run(*engine.RunContext) error {
	r := a.replica
	r.free()
	r.block = a.block
	r.need.Store(needMet)
	if a.owner != nil {
		r.more().owner = a.owner
	}
	r.attach()
	a.block, a.owner = nil, nil
	return nil
}

// owner is what weft owes the caller who has handed memory over: a call of free.
type owner struct {
	once sync.Once
	free func()
}

// end calls free, the first time. It is code of the user's, which may wait and lock: it must not do so on a worker.
func (o *owner) end() {
	o.once.Do(func() {
		go func() {
			defer func() {
				if reason := recover(); reason != nil {
					slog.Error("the function that frees memory of an array panicked", "panic", reason)
				}
			}()
			o.free()
			engine.MemoryFreed()
		}()
	})
}
