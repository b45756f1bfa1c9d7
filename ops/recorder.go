package ops

import (
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/resource"
	"github.com/weft-nd/weft/storage"
)

// Recorder sees the calls of operators whose operands it watches: a tape. Its methods may be called from any goroutine.
type Recorder interface {
	// Reserve returns the first of n new consecutive node numbers.
	Reserve(n int) int
	// Record takes one call.
	Record(r *Record)
	// Closed reports whether it has seen all that it will see: what is computed of what it watched is then not watched.
	Closed() bool
}

// Witness marks a Recorder that keeps the values of all operands and results, whether a gradient needs them or not.
type Witness interface {
	Recorder
	Witnesses()
}

// Node is the place of a Tensor in what one Recorder has seen.
type Node struct {
	Recorder Recorder
	ID       int
}

// Record is a call as one Recorder keeps it.
type Record struct {
	Operator *Operator
	Params   any
	Ticket   resource.Ticket // of an operator that draws
	Device   device.Device   // where it ran
	Site     *fault.Site     // the line that called it
	Inputs   []Saving
	Outputs  []Saving
}

// Saving is an operand or a result of a recorded call.
type Saving struct {
	Operand
	Node  int           // its node, -1 if the recorder does not watch it
	Value *Tensor       // nil unless the gradient needs it; still watched by all other recorders
	Hold  *storage.Hold // protects Value from being written; nil without Value
}

// Forget drops the saved values and ends their protection.
func (r *Record) Forget() {
	for _, all := range [][]Saving{r.Inputs, r.Outputs} {
		for i := range all {
			if all[i].Hold != nil {
				all[i].Hold.Drop()
				all[i].Hold, all[i].Value = nil, nil
			}
		}
	}
}

// Watched returns a handle on the same data that recorder r watches as node id.
func (t *Tensor) Watched(r Recorder, id int) *Tensor {
	watched := *t
	var room [2]Node
	nodes := append(room[:0], t.nodes()...)
	nodes = slices.DeleteFunc(nodes, func(n Node) bool { return n.Recorder == r })
	watched.note(append(nodes, Node{r, id}), t.scalar())
	return &watched
}

// NodeOf returns the node of t in r, -1 if r does not watch it.
func (t *Tensor) NodeOf(r Recorder) int {
	for _, n := range t.nodes() {
		if n.Recorder == r {
			return n.ID
		}
	}
	return -1
}

// Detach returns a handle on the same data that nobody watches.
func (t *Tensor) Detach() *Tensor {
	if len(t.nodes()) == 0 {
		return t
	}
	detached := *t
	detached.note(nil, t.scalar())
	return &detached
}

// Unwatched returns a handle on the same data that r does not watch; others that watch t watch it too.
func (t *Tensor) Unwatched(r Recorder) *Tensor {
	if t.NodeOf(r) < 0 {
		return t
	}
	rest := *t
	var room [2]Node
	nodes := append(room[:0], t.nodes()...)
	rest.note(slices.DeleteFunc(nodes, func(n Node) bool { return n.Recorder == r }), t.scalar())
	return &rest
}

// isWatched reports whether somebody watches t who still sees calls.
func (t *Tensor) isWatched() bool {
	return slices.ContainsFunc(t.nodes(), func(n Node) bool { return !n.Recorder.Closed() })
}

// recorders appends to all those that watch an operand of an operator with a gradient.
func recorders(all []Recorder, op *Operator, inputs []*Tensor) []Recorder {
	if op.Gradient == nil {
		return all
	}
	for _, t := range inputs {
		for _, n := range t.nodes() {
			if !slices.Contains(all, n.Recorder) && !n.Recorder.Closed() {
				all = append(all, n.Recorder)
			}
		}
	}
	return all
}

// watch gives each output a node of each recorder.
func watch(all []Recorder, outputs []*Tensor) {
	for _, r := range all {
		first := r.Reserve(len(outputs))
		for i, out := range outputs {
			var room [2]Node
			out.note(append(append(room[:0], out.nodes()...), Node{r, first + i}), number{})
		}
	}
}

// roomyRecord is a Record with room for the operands and results of most calls.
type roomyRecord struct {
	Record
	savings [few]Saving
}

// records appends to kept what each recorder keeps of c, and protects the saved memory. Where memory is saved it is called inside
// engine.Atomically, so that no write comes between the call and its protection.
func (c *Call) records(kept []*Record, all []Recorder, outputs []*Tensor) []*Record {
	inputs, saved := c.inputs, c.Operator.SavedOf(c.Params)
	if len(inputs) > 0 && inputs[0].view.DType.IsComplex() {
		saved |= c.Operator.SavesComplex
	}
	place := outputs[0].env.device
	for _, r := range all {
		roomy := &roomyRecord{Record: Record{Operator: c.Operator, Params: ownParams(c.Params), Ticket: c.ticket, Device: place, Site: c.Site}}
		record, savings := &roomy.Record, roomy.savings[:]
		if len(inputs)+len(outputs) > few {
			savings = make([]Saving, len(inputs)+len(outputs))
		}
		record.Inputs, record.Outputs = savings[:len(inputs):len(inputs)], savings[len(inputs):len(inputs)+len(outputs)]
		_, everything := r.(Witness)
		for j, t := range inputs {
			record.Inputs[j] = c.save(t, r, place, everything || saved.Input(j))
		}
		for j, t := range outputs {
			record.Outputs[j] = c.save(t, r, place, everything || saved.Output(j))
		}
		kept = append(kept, record)
	}
	return kept
}

// save returns what r keeps of t. A number is kept as one of the place of the call: rules make arrays of numbers alone too.
func (c *Call) save(t *Tensor, r Recorder, place device.Device, value bool) Saving {
	s := Saving{Operand: Operand{t.view.Shape, t.view.DType}, Node: t.NodeOf(r)}
	if value {
		s.Value = t.Unwatched(r).numberOn(place)
		s.Hold = t.view.Synced.Hold(c.Site)
	}
	return s
}
