package ops

import (
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/storage"
)

// Calls with more operands or results than these take memory for each call.
const (
	fewInputs  = 4
	fewOutputs = 3
	few        = fewInputs + fewOutputs
)

// room is memory for what a launch has of each of its operands and results, if they are few.
type room struct {
	inputs   [fewInputs]*Tensor
	outputs  [fewOutputs]*Tensor
	operands [fewInputs]Operand
	results  [fewOutputs]Operand
	views    [few]storage.View
	bound    [few]device.View
	replicas [few]memory
	places   [few]int32
	accesses [few]engine.Access
	watching [1]Recorder
	records  [1]*Record
}

// launches are free ones. Making a launch for each call would take most of the time of a small call, and make most of the
// garbage.
var launches = sync.Pool{New: func() any {
	l := new(launch)
	l.register = l.registerWith
	return l
}}

// newLaunch returns a launch for one call.
func newLaunch() *launch {
	l := launches.Get().(*launch)
	r := &l.room
	l.call.inputs, l.outputs = r.inputs[:0], r.outputs[:0]
	l.call.Inputs, l.call.Outputs = r.operands[:0], r.results[:0]
	l.lowered.Inputs, l.lowered.Outputs = r.views[:0:fewInputs], r.views[fewInputs:fewInputs]
	l.arguments.Inputs, l.arguments.Outputs = r.bound[:0:fewInputs], r.bound[fewInputs:fewInputs]
	l.replicas, l.places = r.replicas[:0], r.places[:0]
	l.operation.Accesses = r.accesses[:0]
	l.watching, l.records = r.watching[:0], r.records[:0]
	return l
}

// largeRoom is memory for what a launch has of its operands and results, where they are more than few.
type largeRoom struct {
	views    []storage.View
	bound    []device.View
	replicas []memory
	accesses []engine.Access
	used     int // how many of each the call has
}

// mostRoom bounds the operands and results for which a launch that is not in use keeps memory.
const mostRoom = 64

// makeRoom is called where operands or results are more than few; so many of them are written.
func (l *launch) makeRoom(written int) {
	count := len(l.call.inputs) + len(l.outputs)
	r := &l.large
	if cap(r.views) < count {
		*r = largeRoom{make([]storage.View, count), make([]device.View, count), make([]memory, count), make([]engine.Access, count), 0}
	}
	r.used = count
	read := count - written
	l.lowered.Inputs, l.lowered.Outputs = r.views[:0:read], r.views[read:read]
	l.arguments.Inputs, l.arguments.Outputs = r.bound[:0:read], r.bound[read:read]
	l.replicas, l.operation.Accesses = r.replicas[:0], r.accesses[:0]
}

// empty drops what would keep memory alive.
func (r *largeRoom) empty() {
	if len(r.views) > mostRoom {
		*r = largeRoom{}
	}
	clear(r.views[:r.used])
	clear(r.bound[:r.used])
	clear(r.replicas[:r.used])
	clear(r.accesses[:r.used])
	r.used = 0
}

// Recycle implements engine.Recycler. The records of a watched call are read after it was pushed: then the reader and the
// engine both call Recycle, and the second call counts.
func (l *launch) Recycle() {
	if len(l.watching) > 0 && l.watched.CompareAndSwap(false, true) {
		return
	}
	l.large.empty()
	register, large := l.register, l.large
	*l = launch{} // A literal with the two would be made elsewhere and copied.
	l.register, l.large = register, large
	launches.Put(l)
}
