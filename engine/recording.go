package engine

import (
	"fmt"
	"strconv"

	"github.com/weft-nd/weft/fault"
)

// recording is the operations of a NewBulkOperator, and what can be known of their bulk before it is pushed.
type recording struct {
	entries  []entry // numbered from 0
	nodes    []node  // of the task
	ranged   []*Var  // accessed in part
	bytes    int64
	finishes bool
	scoped   bool
}

// NewBulkOperator implements Engine.
func (c *core) NewBulkOperator(operations ...Operation) *Operation {
	site := fault.Here(1)
	if len(operations) == 0 {
		panic(&Error{Operator: "engine.NewBulkOperator", Detail: "a bulk of no operations", Cause: fault.ErrMisuse, Site: site})
	}
	if canRepeat(operations) {
		return c.newKeptWork(operations)
	}
	r := &recording{}
	for i := range operations {
		op := c.NewOperator(operations[i])
		if !op.gathers || op.Device != operations[0].Device {
			panic(&Error{
				Operator: "engine.NewBulkOperator: " + op.Name, Cause: fault.ErrMisuse, Site: site,
				Detail: fmt.Sprintf("operation %d is not for a bulk: it is no plain one, or of another device than the first", i),
			})
		}
		r.record(op)
	}
	whole := &Operation{
		Name: bulkName(len(operations)), Function: operations[0].Function, Device: operations[0].Device, Site: operations[0].Site,
		owner: c, recording: r,
	}
	for i := range r.nodes {
		n := &r.nodes[i]
		whole.Accesses = append(whole.Accesses, Access{Var: n.variable, Mode: n.mode, Lo: n.lo, Hi: n.hi})
	}
	return whole
}

// record adds op.
func (r *recording) record(op *Operation) {
	r.entries = append(r.entries, entry{op, uint64(len(r.entries)), op.siteOr(nil)})
	r.bytes += op.Bytes
	r.finishes = r.finishes || op.finisher
	r.scoped = r.scoped || op.Context != nil
	wrote := map[*Var]bool{}
	for i := range op.Accesses {
		a := &op.Accesses[i]
		if a.Hi > 0 {
			r.ranged = append(r.ranged, a.Var)
		}
		n := r.node(a)
		if a.Mode != Read && !wrote[a.Var] {
			wrote[a.Var] = true
			n.writes++
		}
	}
}

// node returns the node for the variable of a, which it stands for from now on.
func (r *recording) node(a *Access) *node {
	for i := range r.nodes {
		if n := &r.nodes[i]; n.variable == a.Var {
			both := n.access().union(a.access())
			n.mode, n.lo, n.hi = both.mode, both.lo, both.hi
			return n
		}
	}
	r.nodes = append(r.nodes, node{variable: a.Var, mode: a.Mode, lo: a.Lo, hi: a.Hi})
	return &r.nodes[len(r.nodes)-1]
}

// countRecording gives op, which has a recording, the numbers of its operations, counts these, and returns the first number. The caller
// holds intake.mu.
func (c *core) countRecording(op *Operation) (first uint64) {
	i, r := &c.intake, op.recording
	for n := range r.nodes {
		r.nodes[n].variable.sequence += uint64(r.nodes[n].writes)
	}
	for _, v := range r.ranged {
		v.ranged = true
	}
	first, count := i.number+1, uint64(len(r.entries))
	i.number += count
	i.pushed += count
	i.counts += count
	i.bytes += r.bytes
	return first
}

// recorded are free bulks of operators, to be used again. Their entries are the operators'. It is guarded by core.mu: a
// goroutine that pushes such a bulk writes only an arrival, as for a single operation.
type recorded struct{ free *bulk }

// take returns a bulk for a, an arrival of an operator with a recording.
func (f *recorded) take(a *arrival) *bulk {
	b := f.free
	if b == nil {
		b = &bulk{}
		b.rare.bulk = b
	} else {
		f.free, b.next = b.next, nil
	}
	r := a.operation.recording
	b.entries, b.number, b.site = r.entries, a.number, a.site
	b.nodes = append(b.nodes, r.nodes...)
	b.counted, b.bytes, b.finishes = uint64(len(r.entries)), r.bytes, r.finishes
	b.scoped = r.scoped
	b.rare.refused = a.rare != nil && a.rare.refused
	return b
}

// give takes b, which is done.
func (f *recorded) give(b *bulk) {
	b.current, b.concluded, b.entries = 0, 0, nil
	if b.rare.times != (times{}) {
		b.rare.times = times{}
	}
	clear(b.nodes)
	b.nodes, b.next = b.nodes[:0], f.free
	f.free = b
}

func bulkName(operations int) string { return "bulk of " + strconv.Itoa(operations) }
