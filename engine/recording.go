package engine

import (
	"fmt"
	"strconv"

	"github.com/weft-nd/weft/fault"
)

// recording is the operations of a NewBulkOperator, and what can be known of their bulk before it is pushed.
type recording struct {
	operations []*Operation
	nodes      []node // of the task
	ranged     []*Var // accessed in part
	bytes      int64
	finishes   bool
}

// NewBulkOperator implements Engine.
func (c *core) NewBulkOperator(operations ...Operation) *Operation {
	site := fault.Here(1)
	if len(operations) == 0 {
		panic(&Error{Operator: "engine.NewBulkOperator", Detail: "a bulk of no operations", Cause: fault.ErrMisuse, Site: site})
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
	r.operations = append(r.operations, op)
	r.bytes += op.Bytes
	r.finishes = r.finishes || op.finisher
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

// enterRecording hands the operations of op over as a bulk. The caller holds intake.mu.
func (c *core) enterRecording(op *Operation, site *fault.Site) {
	i, r := &c.intake, op.recording
	k := i.bulks.take()
	first := i.number + 1
	for _, part := range r.operations {
		i.number++
		k.entries = append(k.entries, entry{part, i.number, part.siteOr(site)})
	}
	k.nodes = append(k.nodes, r.nodes...)
	for n := range r.nodes {
		r.nodes[n].variable.sequence += uint64(r.nodes[n].writes)
	}
	for _, v := range r.ranged {
		v.ranged = true
	}
	count := uint64(len(r.operations))
	k.counted, k.bytes, k.finishes = count, r.bytes, r.finishes
	i.pushed += count
	i.counts += count
	i.bytes += r.bytes
	if k.rare.refused = i.closed; i.timed {
		k.rare.times.pushed = i.now()
	}
	c.enter(arrival{r.operations[0], site, first, &k.rare})
}

func bulkName(operations int) string { return "bulk of " + strconv.Itoa(operations) }
