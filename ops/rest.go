package ops

import (
	"runtime/debug"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
)

// rest is the time in which a caller computes its call itself. Meanwhile others may push what waits for it; if alone is set,
// nobody can.
type rest struct {
	engine   engine.Engine
	dst      *Tensor // nil if the result is new
	alone    bool
	returned bool // from the work, with err or without
	err      error
	panicked any
}

// begin begins a rest, when all memory was found that others may know of.
func (r *rest) begin() *parallel.Thread {
	r.alone = false
	if r.dst != nil {
		r.dst.view.Synced.BeginWrite()
	}
	return r.engine.BeginAtRest()
}

// guard is deferred around the work, so that memory which is gone does not end the process, and a kernel which ends its
// goroutine leaves the engine usable; faults is the setting of debug.SetPanicOnFault from before.
func (r *rest) guard(faults bool) {
	debug.SetPanicOnFault(faults)
	if r.returned {
		return
	}
	if r.panicked = recover(); r.panicked != nil {
		return
	}
	if r.alone {
		r.engine.EndAlone(r.dst != nil, false)
	} else {
		r.end()
	}
}

// hasFailed reports whether fail must be called: whether the work has failed on a destination that others know, who may already
// have pushed what reads it, and must inherit the error. A call that has failed in new memory is pushed instead.
func (r *rest) hasFailed() bool { return r.dst != nil && (r.err != nil || r.panicked != nil) }

// fail ends the rest of a call that would have been op, which is done with that.
func (r *rest) fail(op *engine.Operation) {
	synced := r.dst.view.Synced
	written := engine.Access{Var: synced.Var(), Mode: engine.Update}
	if lo, hi := r.dst.view.Extent(); hi-lo < synced.Bytes() {
		written.Lo, written.Hi = int64(lo), int64(hi)
	}
	r.engine.FailAtRest(op, written, r.err, r.panicked)
}

// end ends the rest of other calls.
func (r *rest) end() {
	if r.dst != nil {
		r.dst.view.Synced.EndWrite()
	}
	r.engine.EndAtRest()
}
