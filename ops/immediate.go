package ops

import (
	"runtime/debug"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// computeAtRest computes l, which was prepared, in the caller, if that is brief and the engine is at rest: making an operation
// of it and ordering that among others would take as long. It reports false, without visible effects, if there is an order to
// keep, a mistake to report, or anything out of the ordinary. A failure while it writes to a destination sticks to that.
func (l *launch) computeAtRest() bool {
	c := &l.call
	if !c.env.isOrdinary() || c.Operator.Mutates != nil || !l.operation.Brief || c.allocates && l.fresh == nil || !c.env.engine.TryAtRest() {
		return false
	}
	if !l.settle() {
		c.env.engine.EndAlone(true, false)
		return false
	}
	r := rest{engine: c.env.engine}
	if !c.allocates {
		r.dst = l.outputs[0]
	}
	thread := r.begin()
	done := l.computeBy(thread, &r)
	if r.hasFailed() {
		l.describe()
		r.fail(&l.operation)
		return true
	}
	r.end()
	return done
}

// computeBy computes the result during a rest.
func (l *launch) computeBy(t *parallel.Thread, r *rest) bool {
	defer r.guard(debug.SetPanicOnFault(true))
	allocates := l.call.allocates
	if allocates {
		l.settleResult(l.fresh.Claim())
	}
	if r.err = l.kernel.host(t, &l.arguments); r.err == nil && allocates {
		l.fresh.Conclude()
	}
	r.returned = true
	return r.err == nil
}

// settle finds the memory of all operands, and of a result that is not new, and makes the arguments of the kernel of
// it. It reports false unless all can be used at once.
func (l *launch) settle() bool {
	a := &l.arguments
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
	if l.call.allocates {
		return true
	}
	start := l.outputs[0].view.Synced.Free(l.device)
	l.settleResult(start)
	return start != nil
}

// settleResult makes the arguments of the result, whose memory is at start.
func (l *launch) settleResult(start unsafe.Pointer) {
	a := &l.arguments
	for i := range l.lowered.Outputs {
		a.Outputs = append(a.Outputs, viewAt(&l.lowered.Outputs[i], device.Pointer{Host: start}))
	}
}

// unsettle drops what settle has found: the call will be pushed, and must not keep the memory until it runs.
func (l *launch) unsettle() {
	a := &l.arguments
	clear(a.Outputs)
	clear(a.Inputs)
}
