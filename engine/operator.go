package engine

import (
	"slices"

	"github.com/weft-nd/weft/fault"
)

// NewOperator implements Engine.
func (c *core) NewOperator(op Operation) *Operation {
	op.owner, op.deleted = nil, false
	c.intake.mu.Lock()
	problem := c.check(&op, fault.Here(1))
	c.intake.mu.Unlock()
	if problem != nil {
		problem.Operator = "engine.NewOperator: " + op.Name
		panic(problem)
	}
	op.owner, op.gathers, op.finisher = c, op.bulks(), op.finishes()
	op.Accesses = slices.Clone(op.Accesses)
	return &op
}

// DeleteOperator implements Engine.
func (c *core) DeleteOperator(op *Operation) {
	c.intake.mu.Lock()
	defer c.intake.mu.Unlock()
	problem := ""
	switch {
	case op == nil:
		panic(&Error{Operator: "engine.DeleteOperator", Detail: "the operator is nil", Cause: fault.ErrMisuse, Site: fault.Here(1)})
	case op.owner != c:
		problem = "the operation was not made by NewOperator of this engine"
	case op.deleted:
		problem = "the operator was deleted before"
	}
	if problem != "" {
		panic(&Error{Operator: "engine.DeleteOperator: " + op.Name, Detail: problem, Cause: fault.ErrMisuse, Site: fault.Here(1)})
	}
	op.deleted = true
}

// DeleteVar implements Engine.
func (c *core) DeleteVar(v *Var, free func()) {
	site := fault.Here(1)
	if v == nil || v.core != c {
		panic(&Error{Operator: "engine.DeleteVar", Detail: "the variable is nil or belongs to another engine", Cause: fault.ErrMisuse, Site: site})
	}
	op := &Operation{Name: "delete variable", Property: DeleteVar, Accesses: []Access{{Var: v, Mode: Write}}, Site: site}
	op.Function = FunctionOf(func(*RunContext) error {
		if free != nil {
			free()
		}
		return nil
	})
	c.Atomically(func(p Pusher) {
		if v.deleted != nil {
			panic(&Error{Operator: "engine.DeleteVar", Detail: "the variable was deleted before, at " + v.deleted.String(), Cause: fault.ErrMisuse, Site: site})
		}
		p.Push(op)
		v.deleted = site
	})
}
