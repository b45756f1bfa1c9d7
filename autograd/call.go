package autograd

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// backwardFunction returns the wanted gradients of the operands. It calls hold with the arrays that the user's code has seen or
// returned, and may therefore still hold.
type backwardFunction func(saved, upstream []*nd.Array, wanted []bool, hold func(...*nd.Array)) []*nd.Array

// call is one call of a function with a gradient of its own. Tapes refer to it: it holds no arrays.
type call struct {
	name     string
	site     *fault.Site
	backward backwardFunction

	operands []ops.Operand
	envs     []*nd.Env // of the results
	saved    []place
}

// place is where a record has a saved array. Those that are neither operands nor results are kept as further results, whose
// gradients are an error.
type place struct {
	input bool
	index int
}

// do computes the results, and records the call.
func (c *call) do(forward func([]*nd.Array) (outputs, saved []*nd.Array), inputs []*nd.Array) []*nd.Array {
	operands, plain := make([]*ops.Tensor, len(inputs)), make([]*nd.Array, len(inputs))
	for i, in := range inputs {
		operands[i], plain[i] = (*ops.Tensor)(in), in.Detach()
		c.operands = append(c.operands, ops.Operand{Shape: operands[i].Shape(), DType: in.DType()})
	}
	outputs, saved := forward(plain)
	if len(outputs) == 0 {
		c.fail(fault.ErrMisuse, "the function returned no results")
	}
	op := &ops.Operator{Name: c.name, Gradient: c.gradient}
	all := c.kept(op, plain, outputs, saved)
	for _, out := range outputs {
		c.envs = append(c.envs, out.Env())
	}
	results := ops.RecordAs(op, operands, all, c.site)
	arrays := make([]*nd.Array, len(outputs))
	for i := range arrays {
		arrays[i] = (*nd.Array)(results[i])
	}
	return arrays
}

// kept returns the results followed by what else is saved, and tells op what to save.
func (c *call) kept(op *ops.Operator, inputs, outputs, saved []*nd.Array) (all []*ops.Tensor) {
	all = c.tensors(all, "result", outputs)
	extra := slices.Clone(outputs)
	for i, a := range saved {
		p := place{true, slices.Index(inputs, a)}
		if p.index < 0 {
			if p = (place{false, slices.Index(extra, a)}); p.index < 0 {
				p.index = len(extra)
				extra, all = append(extra, a), c.tensors(all, fmt.Sprintf("saved value %d, result", i), []*nd.Array{a})
			}
		}
		c.saved = append(c.saved, p)
		if p.input {
			op.Saves |= ops.SaveInput(min(p.index, 31))
		} else {
			op.Saves |= ops.SaveInput(min(p.index, 31)) << 32
		}
	}
	return all
}

// tensors appends arrays that forward returned; a tape must not watch them, or it would record what they were made of.
func (c *call) tensors(all []*ops.Tensor, role string, arrays []*nd.Array) []*ops.Tensor {
	for i, a := range arrays {
		if a == nil {
			c.fail(fault.ErrMisuse, fmt.Sprintf("%s %d is nil", role, i))
		}
		if a.Detach() != a {
			c.fail(fault.ErrMisuse, fmt.Sprintf("%s %d is computed from a watched array that is no operand: make it an operand, or detach it", role, i))
		}
		all = append(all, (*ops.Tensor)(a))
	}
	return all
}

// gradient is the rule of the recorded operator.
func (c *call) gradient(r *ops.Rule) {
	upstream, wanted, saved := make([]*nd.Array, len(c.envs)), make([]bool, len(c.operands)), make([]*nd.Array, len(c.saved))
	for i := range upstream {
		upstream[i] = c.upstream(r, i)
	}
	for i, p := range c.saved {
		switch {
		case p.input:
			saved[i] = (*nd.Array)(r.Input(p.index).(*ops.Tensor))
		case p.index >= len(c.envs) && r.UpstreamOf(p.index) != nil:
			c.fail(fault.ErrMisuse, fmt.Sprintf(
				"a gradient of its gradient needs that of saved value %d, which is neither operand nor result: make it a result", i))
		default:
			saved[i] = (*nd.Array)(r.OutputOf(p.index).(*ops.Tensor))
		}
	}
	for i := range wanted {
		wanted[i] = r.Wants(i)
	}
	hold := func(...*nd.Array) {}
	if pass, isBackward := r.Emitter().(*temporaries); isBackward {
		hold = pass.hold
	}
	gradients := c.backward(saved, upstream, wanted, hold)
	if len(gradients) != len(c.operands) {
		c.fail(fault.ErrMisuse, fmt.Sprintf("the backward function returned %d gradients for %d operands", len(gradients), len(c.operands)))
	}
	for i, g := range gradients {
		if g != nil {
			c.check(i, g)
			r.Set(i, on(c.envs[0].Device(), (*ops.Tensor)(g)))
		}
	}
}

// upstream returns the gradient of result i, on its device.
func (c *call) upstream(r *ops.Rule, i int) *nd.Array {
	if g := r.UpstreamOf(i); g != nil {
		return (*nd.Array)(on(c.envs[i].Device(), g).(*ops.Tensor))
	}
	result := r.Result(i)
	return nd.ZerosIn(c.envs[i], result.DType, result.Shape...)
}

// check fails unless g is a gradient of operand i.
func (c *call) check(i int, g *nd.Array) {
	operand := c.operands[i]
	if !slices.Equal(g.Shape(), operand.Shape) {
		c.fail(fault.ErrShape, fmt.Sprintf("the backward function returned a gradient of shape %s for operand %d of shape %s",
			fault.FormatShape(g.Shape()), i, fault.FormatShape(operand.Shape)))
	}
	if g.DType() != operand.DType || !operand.DType.IsInexact() {
		c.fail(fault.ErrDType, fmt.Sprintf("the backward function returned a gradient of %v for operand %d of %v", g.DType(), i, operand.DType))
	}
}

// once wraps a backward function that is Go code on values, so that differentiating its results is an error.
func (c *call) once(backward func(saved, upstream []*nd.Array) []*nd.Array) func(saved, upstream []*nd.Array) []*nd.Array {
	return func(saved, upstream []*nd.Array) []*nd.Array {
		inputs, plain := []*ops.Tensor{}, []*nd.Array{}
		for _, a := range slices.Concat(saved, upstream) {
			inputs, plain = append(inputs, (*ops.Tensor)(a)), append(plain, a.Detach())
		}
		gradients := slices.Clone(backward(plain[:len(saved)], plain[len(saved):]))
		again := &ops.Operator{Name: c.name, Gradient: func(*ops.Rule) {
			c.fail(fault.ErrMisuse, "the function is differentiable once, and a gradient of its gradient was asked for")
		}}
		for i, g := range gradients {
			if g != nil {
				gradients[i] = (*nd.Array)(ops.RecordAs(again, inputs, []*ops.Tensor{(*ops.Tensor)(g)}, c.site)[0])
			}
		}
		return gradients
	}
}

func (c *call) fail(reason error, detail string) {
	e := &nd.Error{Operator: c.name, Detail: detail, Cause: reason, Site: c.site}
	for _, operand := range c.operands {
		e.Shapes, e.DTypes = append(e.Shapes, operand.Shape), append(e.DTypes, operand.DType)
	}
	panic(e)
}
