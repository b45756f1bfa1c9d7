package ops

import (
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/storage"
)

// Calls with more operands or results than these take memory for each call.
const (
	fewInputs  = 3
	fewOutputs = 2
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
	accesses [few]engine.Access
}

// launches are those that are not in use. To make a launch for each call would be most of the time of a small one, and most of the
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
	l.replicas = r.replicas[:0]
	l.operation.Accesses = r.accesses[:0]
	return l
}

// Recycle implements engine.Recycler.
func (l *launch) Recycle() {
	if len(l.watching) > 0 { // Their records are read after the call.
		return
	}
	*l = launch{register: l.register}
	launches.Put(l)
}
