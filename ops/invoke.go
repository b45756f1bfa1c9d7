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
	return invoke(op, params, nil, nil, inputs, fault.Here(1), nil)
}

// InvokeOne is Invoke for an operator of one result.
func InvokeOne(op *Operator, params any, inputs ...*Tensor) *Tensor {
	if t := op.byShortcut(params, nil, inputs); t != nil {
		return t
	}
	var result [1]*Tensor
	return invoke(op, params, nil, nil, inputs, fault.Here(1), result[:0])[0]
}

// InvokeIn calls op, which has no operands, in env; see Invoke.
func InvokeIn(env *Env, op *Operator, params any) []*Tensor {
	return invoke(op, params, env, nil, nil, fault.Here(1), nil)
}

// InvokeInto calls op and writes its results to the arrays in outputs, whose shapes and element types must be those of the
// results. An operand may be a result too; memory that partly overlaps is copied first. Operands that a tape watches are an
// error: the gradient would be lost.
func InvokeInto(op *Operator, params any, outputs []*Tensor, inputs ...*Tensor) {
	if len(outputs) == 1 && outputs[0] != nil && op.byShortcut(params, outputs[0], inputs) != nil {
		return
	}
	invoke(op, params, nil, outputs, inputs, fault.Here(1), nil)
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
	return invoke(op, parsed, nil, nil, inputs, fault.Here(1), nil), nil
}

// invoke calls op, and returns its results, which are appended to the given slice if they are not those in into.
func invoke(op *Operator, params any, env *Env, into, inputs []*Tensor, site *fault.Site, results []*Tensor) []*Tensor {
	l := newLaunch()
	c := &l.call
	c.begin(op, params, inputs, site)
	converted := c.resolve(env, into)
	watching := recorders(l.watching, op, c.inputs)
	if op.View != nil && into == nil { // The result sees what was converted.
		results = append(results, c.view(watching))
		l.Recycle()
		return results
	}
	var copies []*launch
	if into == nil {
		c.allocates = true
		l.allocate(watching)
		watch(watching, l.outputs)
	} else {
		c.checkInto(into, watching)
		if op.View != nil {
			c.copyView(into)
			l.Recycle()
			return into
		}
		if results = into; c.overlaps(into) {
			c.allocates = true
			l.allocate(nil)
			copies = c.copiesOf(l.outputs, into)
		} else {
			l.outputs = append(l.outputs, into...)
		}
	}
	if straying.count.Load() > 0 && c.env.capturing() == nil {
		l.stray()
		for _, copying := range copies {
			copying.stray()
		}
	}
	if op.Draws {
		c.ticket = c.env.generator.Next()
	}
	if into == nil {
		results = append(results, l.outputs...)
	}
	l.watching = watching
	l.execute(copies)
	for _, t := range converted {
		t.Discard(site)
	}
	return results
}

// resolve finds what c calls: its environment, which is env if that is not nil, operands of the element types that the
// operator wants, and the shapes and types of its results. It returns what convert does, and fails if the call is
// mistaken.
func (c *Call) resolve(env *Env, into []*Tensor) (converted []*Tensor) {
	switch {
	case env != nil:
	case len(into) == 0:
		env = c.join(c.inputs)
	default:
		env = c.join(append(c.inputs, into...))
	}
	c.env = env
	converted = c.convert()
	c.checkAccepts()
	c.Operator.Infer(c)
	for i, t := range c.inputs {
		if c.inputMode(i) != engine.Read {
			c.checkWritable(t)
		}
	}
	return converted
}

// execute computes the call here or by an operation, and the copies after it, and has its recorders record it.
func (l *launch) execute(copies []*launch) {
	env, watching := l.call.env, l.watching // l may be another call's when it has been pushed
	l.prepare()
	var room [fewOutputs]*Tensor
	made := room[:0]
	if l.call.allocates {
		made = append(made, l.outputs...)
	}
	if len(watching)+len(copies) == 0 && l.computeAtRest() {
		l.Recycle()
	} else {
		l.unsettle()
		l.push(copies)
	}
	for _, t := range made { // Until here nobody else could release the results.
		env.memory.add(t.view.Synced)
	}
	if len(watching) > 0 {
		for i, w := range watching {
			w.Record(l.records[i])
		}
		l.letTensorsGo()
		l.Recycle()
	}
}

// convert casts the operands to the element types that the operator wants, and returns the casts whose memory can be
// given back when the operator has read it, and no tape needs it: those that are not small, nor changed by the
// operator. It fails if a scalar is no number of an integer type.
func (c *Call) convert() (converted []*Tensor) {
	if c.Operator.Convert == nil {
		return nil
	}
	changed := false
	for i, want := range c.Operator.Convert(c) {
		if t := c.inputs[i]; want != dtype.Invalid && want != t.view.DType {
			if problem := t.Unfit(want); problem != "" && want != dtype.Bool { // what is not zero is true
				c.Fail(fault.ErrParameter, problem+", the element type of its fellow operands")
			}
			env := t.env
			if !t.IsScalar() { // which nobody writes to
				env = env.WithCaptureOf(c.env)
			}
			c.inputs[i] = invoke(registered("cast"), CastParams{want}, env, nil, c.inputs[i:i+1], c.Site, nil)[0]
			c.inputs[i].note(c.inputs[i].nodes(), t.scalar())
			changed = true
			if !c.inputs[i].view.Synced.IsSmall() && c.inputMode(i) == engine.Read {
				converted = append(converted, c.inputs[i])
			}
		}
	}
	if changed {
		c.readOperands()
	}
	return converted
}

// view makes the result of an operator that only looks at its operand in another way.
func (c *Call) view(watching []Recorder) *Tensor {
	v, ok := c.Operator.View(c, c.inputs[0].view)
	if !ok {
		c.inputs[0] = invoke(registered("copy"), nil, nil, nil, c.inputs, c.Site, nil)[0]
		v, _ = c.Operator.View(c, c.inputs[0].view)
	}
	output := &Tensor{view: v, env: c.env}
	if len(watching) > 0 {
		outputs := []*Tensor{output}
		watch(watching, outputs)
		for i, record := range c.records(nil, watching, outputs) {
			watching[i].Record(record)
		}
	}
	return output
}

// allocate makes the results; their memory is claimed when the operator runs, unless it is small. What is watched has a handle of its
// own, or its memory would keep the tape alive.
func (l *launch) allocate(watching []Recorder) {
	env := l.call.env
	for _, out := range l.call.Outputs {
		var t *Tensor
		bytes := int(out.elements()) * out.DType.Size()
		if len(watching) == 0 && storage.FitsSmall(env.device, bytes) {
			l.fresh = newCompact(env, storage.Awaited, out.DType, out.Shape, bytes)
			t = &l.fresh.tensor
		} else {
			t = &Tensor{env: env, view: storage.NewViewFor(env.engine, out.DType, out.Shape)}
		}
		l.outputs = append(l.outputs, t)
	}
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
		if t.isWatched() {
			c.Fail(fault.ErrMisuse, "the destination is watched by a tape")
		}
		c.checkWritable(t)
	}
}

// checkWritable fails if elements of t share memory.
func (c *Call) checkWritable(t *Tensor) {
	if !t.view.Overlaps() {
		return
	}
	kind := "view of sliding windows"
	for axis, n := range t.view.Shape {
		if n > 1 && t.view.Strides[axis] == 0 {
			kind = "broadcast view"
		}
	}
	c.Fail(fault.ErrMisuse, "the destination is a "+kind+": several of its elements share memory")
}

// CheckAccess panics with *fault.Error if a call of the given name that reads t, or that writes to it unless mode is
// engine.Read, would be a mistake because of what t is: a zero Tensor, released, or a destination that a tape watches
// or has saved, or whose elements share memory. Nothing is pushed.
func (t *Tensor) CheckAccess(operator string, mode engine.Mode, site *fault.Site) {
	c := &Call{Operator: &Operator{Name: operator}, Site: site, env: t.env, Inputs: []Operand{{t.view.Shape, t.view.DType}}}
	if t.env == nil {
		c.Fail(fault.ErrMisuse, "the array is one that nothing has made")
	}
	if mode != engine.Read {
		if t.isWatched() {
			c.Fail(fault.ErrMisuse, "the destination is watched by a tape")
		}
		c.checkWritable(t)
	}
	t.env.engine.Atomically(func(engine.Pusher) { t.view.Synced.Check(operator, mode, site) })
}

// overlaps reports whether a result shares memory with an operand in a way that the kernel would notice. Element-wise
// kernels may write where they read, element by element.
func (c *Call) overlaps(into []*Tensor) bool {
	elementWise := c.Operator.Form == FormUnary || c.Operator.Form == FormBinary
	for _, out := range into {
		for i, in := range c.inputs {
			if in.view.Synced != out.view.Synced {
				continue
			}
			same := in.view.DType == out.view.DType && in.view.Offset == out.view.Offset && slices.Equal(in.view.Shape, out.view.Shape) && slices.Equal(in.view.Strides, out.view.Strides)
			if !same || !elementWise && !(c.Operator.InPlace && i == 0) {
				return true
			}
		}
	}
	return false
}

// copyView copies the result of an operator that only looks at its operand in another way.
func (c *Call) copyView(into []*Tensor) {
	result := invoke(c.Operator, c.Params, c.env, nil, c.inputs, c.Site, nil)
	invoke(registered("copy"), nil, c.env, into, result, c.Site, nil)
}

// copiesOf returns the launches that copy what c computes in memory of its own to where it belongs.
func (c *Call) copiesOf(results, into []*Tensor) (copies []*launch) {
	for i := range into {
		l := newLaunch()
		l.call.begin(registered("copy"), nil, results[i:i+1], c.Site)
		l.call.env = c.env
		l.call.Operator.Infer(&l.call)
		l.outputs = append(l.outputs, into[i])
		copies = append(copies, l)
	}
	return copies
}
