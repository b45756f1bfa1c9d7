package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// Invoke calls op and returns its results at once; the engine runs it. Params is a struct of the type of op.Params, nil if
// that is nil. A mistaken call panics with *fault.Error in the caller's goroutine; failures while it runs stick to the
// results.
func Invoke(op *Operator, params any, inputs ...*Tensor) []*Tensor {
	return invoke(op, params, nil, nil, inputs, fault.Here(1))
}

// InvokeIn calls op, which has no operands, in env; see Invoke.
func InvokeIn(env *Env, op *Operator, params any) []*Tensor {
	return invoke(op, params, env, nil, nil, fault.Here(1))
}

// InvokeInto calls op and writes its results to the arrays in outputs, whose shapes and element types must be those of the
// results. An operand may be a result too; memory that partly overlaps is copied first. Operands that a tape watches are an
// error: the gradient would be lost.
func InvokeInto(op *Operator, params any, outputs []*Tensor, inputs ...*Tensor) {
	invoke(op, params, nil, outputs, inputs, fault.Here(1))
}

// InvokeNamed calls the operator of the given name with parameters by name, as Operator.ParseParams reads them.
func InvokeNamed(name string, params map[string]any, inputs ...*Tensor) ([]*Tensor, error) {
	op, found := Lookup(name)
	if !found {
		return nil, &fault.Error{Operator: name, Detail: "no such operator", Cause: fault.ErrParameter, Site: fault.Here(1)}
	}
	parsed, err := op.ParseParams(params)
	if err != nil {
		return nil, err
	}
	return invoke(op, parsed, nil, nil, inputs, fault.Here(1)), nil
}

func invoke(op *Operator, params any, env *Env, into, inputs []*Tensor, site *fault.Site) []*Tensor {
	c := newCall(op, params, inputs, site)
	switch {
	case env != nil:
	case len(into) == 0:
		env = c.join(inputs)
	default:
		env = c.join(slices.Concat(inputs, into))
	}
	c.env = env
	inputs = c.convert(inputs)
	c.checkAccepts()
	op.Infer(c)
	for i, t := range inputs {
		if c.inputMode(i) != engine.Read {
			c.checkWritable(t)
		}
	}
	watching := recorders(op, inputs)
	if op.View != nil && into == nil {
		return c.view(env, inputs, watching)
	}
	outputs := into
	if into == nil {
		outputs = c.allocate(env)
		watch(watching, outputs)
	} else {
		c.checkInto(into, watching)
		if op.View != nil || c.overlaps(into, inputs) {
			return c.throughCopies(env, into, inputs)
		}
	}
	for i, record := range c.push(env, outputs, inputs, watching) {
		watching[i].Record(record)
	}
	return outputs
}

// convert casts the operands to the element types that the operator wants.
func (c *Call) convert(inputs []*Tensor) []*Tensor {
	if c.Operator.Convert == nil {
		return inputs
	}
	converted := inputs
	for i, want := range c.Operator.Convert(c) {
		if want == dtype.Invalid || want == inputs[i].view.DType {
			continue
		}
		if &converted[0] == &inputs[0] {
			converted = slices.Clone(inputs)
		}
		cast, _ := Lookup("cast")
		converted[i] = invoke(cast, CastParams{want}, nil, nil, inputs[i:i+1], c.Site)[0]
		converted[i].scalar = inputs[i].scalar
	}
	c.see(converted)
	return converted
}

// view makes the result of an operator that only looks at its operand in another way.
func (c *Call) view(env *Env, inputs []*Tensor, watching []Recorder) []*Tensor {
	v, ok := c.Operator.View(c, inputs[0].view)
	if !ok {
		copying, _ := Lookup("copy")
		inputs = invoke(copying, nil, nil, nil, inputs, c.Site)
		v, _ = c.Operator.View(c, inputs[0].view)
	}
	outputs := []*Tensor{{view: v, env: env}}
	watch(watching, outputs)
	for i, record := range c.records(watching, inputs, outputs) {
		watching[i].Record(record)
	}
	return outputs
}

// allocate makes the results; their memory is claimed when the operator runs.
func (c *Call) allocate(env *Env) []*Tensor {
	outputs := make([]*Tensor, len(c.Outputs))
	for i, out := range c.Outputs {
		synced := storage.NewSynced(env.engine, storage.Count(out.Shape)*out.DType.Size())
		outputs[i] = &Tensor{env: env, view: contiguous(synced, out.DType, out.Shape)}
	}
	return outputs
}

// checkInto fails unless the results fit the given arrays.
func (c *Call) checkInto(into []*Tensor, watching []Recorder) {
	if len(into) != len(c.Outputs) {
		c.Fail(fault.ErrMisuse, fmt.Sprintf("%d destinations given, want %d", len(into), len(c.Outputs)))
	}
	if len(watching) > 0 {
		c.Fail(fault.ErrMisuse, "a destination was given while a tape watches an operand: its gradient would be lost")
	}
	for i, t := range into {
		if !slices.Equal(t.view.Shape, c.Outputs[i].Shape) {
			c.Fail(fault.ErrShape, fmt.Sprintf("the destination has shape %s, the result %s",
				fault.FormatShape(t.view.Shape), fault.FormatShape(c.Outputs[i].Shape)))
		}
		if t.view.DType != c.Outputs[i].DType {
			c.Fail(fault.ErrDType, fmt.Sprintf("the destination has dtype %v, the result %v", t.view.DType, c.Outputs[i].DType))
		}
		if len(t.nodes) > 0 {
			c.Fail(fault.ErrMisuse, "the destination is watched by a tape")
		}
		c.checkWritable(t)
	}
}

// checkWritable fails if elements of t share memory through a stride of zero.
func (c *Call) checkWritable(t *Tensor) {
	for axis, n := range t.view.Shape {
		if n > 1 && t.view.Strides[axis] == 0 && t.view.Count() > 0 {
			c.Fail(fault.ErrMisuse, "the destination is a broadcast view: several of its elements share memory")
		}
	}
}

// overlaps reports whether a result shares memory with an operand in a way that the kernel would notice. Element-wise
// kernels may write where they read, element by element.
func (c *Call) overlaps(into, inputs []*Tensor) bool {
	elementWise := c.Operator.Form == FormUnary || c.Operator.Form == FormBinary
	for _, out := range into {
		for _, in := range inputs {
			if in.view.Synced != out.view.Synced {
				continue
			}
			same := in.view.Offset == out.view.Offset && slices.Equal(in.view.Shape, out.view.Shape) && slices.Equal(in.view.Strides, out.view.Strides)
			if !elementWise || !same {
				return true
			}
		}
	}
	return false
}

// throughCopies computes into fresh memory and copies the results to where they belong.
func (c *Call) throughCopies(env *Env, into, inputs []*Tensor) []*Tensor {
	results := invoke(c.Operator, c.Params, env, nil, inputs, c.Site)
	copying, _ := Lookup("copy")
	for i, result := range results {
		invoke(copying, nil, env, into[i:i+1], []*Tensor{result}, c.Site)
	}
	return into
}

// push registers the operator with the engine, and makes the records of those who watch it in the same step.
func (c *Call) push(env *Env, outputs, inputs []*Tensor, watching []Recorder) (records []*Record) {
	l := newLaunch(c, env, outputs, inputs)
	op := &l.operation
	op.Name, op.Function, op.KeepOnSkip = c.Operator.Name, l, c.Operator.KeepOnSkip
	op.Device, op.Context, op.Site = env.device, env.scope.context(), c.Site
	env.engine.Atomically(func(p engine.Pusher) {
		op.Accesses = l.acquire(p, outputs, inputs)
		p.Push(op)
		records = c.records(watching, inputs, outputs)
	})
	return records
}
