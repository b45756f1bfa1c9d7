package ops

import (
	"runtime/debug"
	"unsafe"

	"github.com/weft-nd/weft/device"
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
		l.unsettle()
		return false
	}
	result := l.outputs[0].view.Synced
	if !c.allocates {
		result.BeginWrite()
	}
	thread, faults := e.BeginAtRest(), debug.SetPanicOnFault(true) // so that memory which is gone does not end the process
	defer func() {
		debug.SetPanicOnFault(faults)
		if !done {
			_ = recover() // The call is pushed, and its panic is an error of its result.
			l.unsettle()
		}
		if !c.allocates {
			result.EndWrite() // Where it failed, there is a write more than was asked for.
		}
		e.EndAtRest()
	}()
	if l.kernel.host(thread, &l.arguments) != nil {
		return false
	}
	if c.allocates {
		l.fresh.Conclude()
	}
	return true
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
