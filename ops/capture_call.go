package ops

import (
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/storage"
)

// captured is a call that a Capture runs again.
type captured struct {
	binding
	call    Call
	scratch *storage.Synced
}

// newCaptured returns a copy of l, which is another call's soon.
func newCaptured(l *launch) *captured {
	c := &captured{binding: l.binding}
	c.replicas, c.places = slices.Clone(l.replicas), slices.Clone(l.places)
	c.lowered.Outputs, c.lowered.Inputs = slices.Clone(l.lowered.Outputs), slices.Clone(l.lowered.Inputs)
	c.arguments = device.Arguments{}
	c.call = Call{Operator: l.call.Operator, Inputs: slices.Clone(l.call.Inputs), Site: l.call.Site}
	return c
}

// operation returns what the engine runs, of the variables as they are now. It is called inside engine.Atomically.
func (c *captured) operation() engine.Operation {
	onHost := c.device.OnHost()
	op := engine.Operation{
		Name: c.call.Operator.Name, Function: c, Device: c.device, Site: c.call.Site,
		Repeats: !onHost, KeepOnSkip: onHost && c.call.Operator.KeepOnSkip,
	}
	if c.kernel.fallback != "" {
		op.Name = c.kernel.fallback
	}
	for _, m := range c.replicas {
		if m.lent != nil {
			op.Accesses = append(op.Accesses, engine.Access{Var: m.lent.gate, Mode: m.mode})
			continue
		}
		access, v := engine.Access{Var: m.synced.Var(), Mode: m.mode}, m.replica.Variable()
		if onHost && v == nil && m.hi > 0 { // Replicas that are not alone are taken whole.
			access.Replaces, access.Lo, access.Hi = m.replaces, m.lo, m.hi
		}
		op.Accesses = append(op.Accesses, access)
		if v != nil {
			op.Accesses = append(op.Accesses, engine.Access{Var: v, Mode: m.mode})
		}
	}
	return op
}

// Run implements engine.Function.
func (c *captured) Run(rc *engine.RunContext) (err error) {
	if err = c.bind(); err != nil {
		return err
	}
	if c.scratch != nil {
		if c.arguments.Scratch, err = c.replicas[c.place(c.scratch)].claim(); err != nil {
			return err
		}
		c.arguments.ScratchBytes = c.lowered.Scratch
	}
	return c.run(rc)
}

// Describe implements engine.Describer.
func (c *captured) Describe(e *engine.Error) {
	e.Operator = c.call.Operator.Called()
	c.call.describe(e)
}
