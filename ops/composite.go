package ops

import (
	"slices"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// RecordAs lets the tapes that watch inputs keep a call of op with these operands and results, whatever has computed them,
// and returns handles on the results that those tapes watch. There must be a result, no tape may watch one before, and op
// need not be registered: its Name, Gradient and Saves are looked at. Results of other element types than floats and complex
// numbers have no gradients, and are returned as they are. Site is the user's line, which the error of a write to saved memory names.
func RecordAs(op *Operator, inputs, outputs []*Tensor, site *fault.Site) []*Tensor {
	watching := recorders(nil, op, inputs)
	if len(watching) == 0 {
		return outputs
	}
	handles := make([]*Tensor, len(outputs))
	for i, out := range outputs {
		handle := *out
		handles[i] = &handle
	}
	watch(watching, handles)
	c := &Call{Operator: op, Site: site, inputs: inputs}
	var records []*Record
	handles[0].env.engine.Atomically(func(engine.Pusher) { records = c.records(nil, watching, handles) })
	for i, r := range watching {
		r.Record(records[i])
	}
	results := slices.Clone(outputs)
	for i, handle := range handles {
		if handle.view.DType.IsInexact() {
			results[i] = handle
		}
	}
	return results
}
