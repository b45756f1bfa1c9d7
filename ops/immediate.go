package ops

import (
	"runtime/debug"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/storage"
)

// computeAtRest computes what l, which was prepared, would be pushed for, if that is brief and the engine is at rest: to make an operation
// of it, and what orders that among others, would take as long. It reports false, having done nothing that anybody sees, where there is an
// order to keep, a mistake to tell, or anything out of the ordinary.
func (l *launch) computeAtRest() (done bool) {
	c := &l.call
	if !c.env.isOrdinary() || c.Operator.Mutates != nil || !l.isBrief() || c.allocates && l.fresh == nil {
		return false
	}
	e := c.env.engine
	if !e.TryAtRest() {
		return false
	}
	if !l.settle() {
		e.EndAlone(true, false)
		return false
	}
	var written *storage.Synced
	if !c.allocates {
		written = l.outputs[0].view.Synced
	}
	thread, r := begin(e, written)
	defer r.end(&done)
	if l.kernel.host(thread, &l.arguments) != nil {
		return false
	}
	if c.allocates {
		l.fresh.Conclude()
	}
	return true
}

// rest is the time in which a caller computes what he has called, while others push what waits for it.
type rest struct {
	engine  engine.Engine
	written *storage.Synced // nil if the result is new
	faults  bool
}

// begin begins the rest that e.TryAtRest has found, when all memory was.
func begin(e engine.Engine, written *storage.Synced) (*parallel.Thread, rest) {
	if written != nil {
		written.BeginWrite()
	}
	return e.BeginAtRest(), rest{e, written, debug.SetPanicOnFault(true)} // so that memory which is gone does not end the process
}

// end is deferred. Where the work has failed, the call is pushed: its panic is then an error of its result, of which there is a write more than was
// asked for.
func (r *rest) end(done *bool) {
	debug.SetPanicOnFault(r.faults)
	if !*done {
		_ = recover()
	}
	if r.written != nil {
		r.written.EndWrite()
	}
	r.engine.EndAtRest()
}

// settle finds the memory of all operands and of the result, and makes the arguments of the kernel of it. It reports false unless all can be
// used at once.
func (l *launch) settle() bool {
	a, c := &l.arguments, &l.call
	a.Integers, a.Scalars = l.lowered.Integers, l.lowered.Scalars
	a.Outputs, a.Inputs = a.Outputs[:0], a.Inputs[:0]
	for i := range l.lowered.Inputs {
		v := &l.lowered.Inputs[i]
		start := v.Synced.Settled(l.device)
		if start == nil {
			return false
		}
		a.Inputs = append(a.Inputs, viewAt(v, device.Pointer{Host: start}))
	}
	result := l.outputs[0].view.Synced
	var start unsafe.Pointer
	if c.allocates {
		start = l.fresh.Claim()
	} else {
		start = result.Free(l.device)
	}
	if start == nil {
		return false
	}
	for i := range l.lowered.Outputs {
		a.Outputs = append(a.Outputs, viewAt(&l.lowered.Outputs[i], device.Pointer{Host: start}))
	}
	return true
}

// unsettle drops what settle has found: the call is pushed, and is not to keep the memory meanwhile.
func (l *launch) unsettle() {
	a := &l.arguments
	clear(a.Outputs)
	clear(a.Inputs)
}
