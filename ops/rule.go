package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/resource"
)

// Value is an array as gradient rules see it: a Tensor, or a node of a graph that is compiled later.
type Value interface {
	Shape() []int
	DType() dtype.DType
}

// Emitter gives the operators that a gradient rule applies their meaning.
type Emitter interface {
	// Emit applies op.
	Emit(op *Operator, params any, inputs ...Value) []Value
	// Constant returns a 0-d array of element type d.
	Constant(value float64, d dtype.DType) Value
}

// Rule is what an operator's Gradient works with: the recorded call, the gradients of its results, and operators to
// compute those of its operands. Operators are found by name, so that rules may refer to one another.
type Rule struct {
	emitter  Emitter
	record   *Record
	upstream []Value
	wanted   []bool
	results  []Value
}

// Differentiate applies the gradient rule of record. Upstream holds the gradients of the results, nil for those that nothing
// depends on, but not for all; wanted tells which operands need theirs. The result holds those, nil where the rule gives none.
//
// The gradient of a complex array z = x + iy is ∂L/∂x + i·∂L/∂y for a real loss L, so that a step against it is one of
// descent; it is that of PyTorch, and conjugate to that of JAX (Kreutz-Delgado, "The complex gradient operator and the
// CR-calculus", 2009).
func Differentiate(e Emitter, record *Record, upstream []Value, wanted []bool) []Value {
	r := &Rule{emitter: e, record: record, upstream: upstream, wanted: wanted, results: make([]Value, len(record.Inputs))}
	if !record.Operator.Holomorphic || !record.Outputs[0].DType.IsComplex() {
		record.Operator.Gradient(r)
		return r.results
	}
	r.upstream = slices.Clone(upstream)
	r.conjugate(r.upstream)
	record.Operator.Gradient(r)
	r.conjugate(r.results)
	return r.results
}

// conjugate replaces complex values, some of which may be nil, by those conjugate to them.
func (r *Rule) conjugate(values []Value) {
	for i, v := range values {
		if v != nil {
			values[i] = r.Conj(v)
		}
	}
}

// Emitter returns what runs, or writes down, the operators of the gradient.
func (r *Rule) Emitter() Emitter { return r.emitter }

// Params returns the parameters of the call.
func (r *Rule) Params() any { return r.record.Params }

// Ticket returns what names the random numbers of the call, of an operator that draws.
func (r *Rule) Ticket() resource.Ticket { return r.record.Ticket }

// Count returns the number of operands.
func (r *Rule) Count() int { return len(r.record.Inputs) }

// Wants reports whether the gradient of operand i is needed.
func (r *Rule) Wants(i int) bool { return r.wanted[i] }

// Shape returns the shape of operand i.
func (r *Rule) Shape(i int) []int { return r.record.Inputs[i].Shape }

// DType returns the element type of operand i.
func (r *Rule) DType(i int) dtype.DType { return r.record.Inputs[i].DType }

// Result returns shape and element type of result i.
func (r *Rule) Result(i int) Operand { return r.record.Outputs[i].Operand }

// Upstream returns the gradient of the first result.
func (r *Rule) Upstream() Value { return r.upstream[0] }

// UpstreamOf returns the gradient of result i, nil if nothing depends on that.
func (r *Rule) UpstreamOf(i int) Value { return r.upstream[i] }

// Input returns operand i, which the operator must name in Saves.
func (r *Rule) Input(i int) Value { return r.value(r.record.Inputs[i], "operand", i) }

// Output returns the first result, which the operator must name in Saves.
func (r *Rule) Output() Value { return r.OutputOf(0) }

// OutputOf returns result i, which the operator must name in Saves.
func (r *Rule) OutputOf(i int) Value { return r.value(r.record.Outputs[i], "result", i) }

func (r *Rule) value(s Saving, role string, i int) Value {
	if s.Value == nil {
		panic(fmt.Sprintf("ops: the gradient of %s looks at %s %d, which is not in Saves", r.record.Operator.Name, role, i))
	}
	return s.Value
}

// Set gives the gradient of operand i. What was broadcast is summed to the operand's shape. Of a complex gradient a
// real operand gets the real part.
func (r *Rule) Set(i int, gradient Value) {
	switch d := r.DType(i); {
	case gradient.DType().IsComplex() && !d.IsComplex():
		gradient = r.RealPart(gradient)
	case d.IsComplex():
		gradient = r.cast(gradient, d)
	}
	r.results[i] = r.SumTo(gradient, r.Shape(i))
}

// Apply applies the operator of the given name and returns its first result.
func (r *Rule) Apply(name string, params any, inputs ...Value) Value {
	return r.ApplyAll(name, params, inputs...)[0]
}

// ApplyAll is Apply with all results.
func (r *Rule) ApplyAll(name string, params any, inputs ...Value) []Value {
	op, found := Lookup(name)
	if !found {
		panic("ops: a gradient applies " + name + ", which is not registered")
	}
	return r.emitter.Emit(op, params, inputs...)
}

// Constant returns a 0-d array with the element type of like.
func (r *Rule) Constant(value float64, like Value) Value {
	return r.emitter.Constant(value, like.DType())
}

// Add returns a + b.
func (r *Rule) Add(a, b Value) Value { return r.Apply("add", nil, a, b) }

// Sub returns a − b.
func (r *Rule) Sub(a, b Value) Value { return r.Apply("sub", nil, a, b) }

// Mul returns a · b, element by element.
func (r *Rule) Mul(a, b Value) Value { return r.Apply("mul", nil, a, b) }

// Div returns a / b, element by element.
func (r *Rule) Div(a, b Value) Value { return r.Apply("div", nil, a, b) }

// Neg returns −a.
func (r *Rule) Neg(a Value) Value { return r.Apply("neg", nil, a) }

// Conj returns the numbers conjugate to a: a itself if it is real.
func (r *Rule) Conj(a Value) Value {
	if !a.DType().IsComplex() {
		return a
	}
	return r.Apply("conj", nil, a)
}

// RealPart returns the real parts of a.
func (r *Rule) RealPart(a Value) Value { return r.Apply("real", nil, a) }

// ImaginaryPart returns the imaginary parts of a, which is complex.
func (r *Rule) ImaginaryPart(a Value) Value { return r.Apply("imag", nil, a) }

// Complex returns the complex numbers with real parts a and imaginary parts b.
func (r *Rule) Complex(a, b Value) Value { return r.Apply("complex", nil, a, b) }

// Scale returns a times a constant.
func (r *Rule) Scale(a Value, factor float64) Value { return r.Mul(a, r.Constant(factor, a)) }

// Reshape returns a with another shape.
func (r *Rule) Reshape(a Value, shape []int) Value {
	if slices.Equal(a.Shape(), shape) {
		return a
	}
	return r.Apply("reshape", ReshapeParams{shape}, a)
}

// BroadcastTo returns a repeated to shape.
func (r *Rule) BroadcastTo(a Value, shape []int) Value {
	if slices.Equal(a.Shape(), shape) {
		return a
	}
	return r.Apply("broadcast_to", BroadcastParams{shape}, a)
}

// SumTo returns a summed over the axes along which an array of the given shape was broadcast to that of a.
func (r *Rule) SumTo(a Value, shape []int) Value {
	from := a.Shape()
	if slices.Equal(from, shape) {
		return a
	}
	lead := len(from) - len(shape)
	axes := []int{}
	for axis := range from {
		if axis < lead || shape[axis-lead] == 1 && from[axis] != 1 {
			axes = append(axes, axis)
		}
	}
	if len(axes) > 0 {
		a = r.Apply("sum", ReduceParams{Axes: axes, KeepDims: true}, a)
	}
	return r.Reshape(a, shape)
}

// Expand undoes the removal of reduced axes: it returns a, the result of a reduction of an array of the given shape, with
// those axes back, of size one.
func (r *Rule) Expand(a Value, shape, axes []int) Value {
	kept := slices.Clone(shape)
	for _, axis := range reducedAxes(axes, len(shape)) {
		kept[axis] = 1
	}
	return r.Reshape(a, kept)
}

// reducedAxes returns axes counted from the front, all of rank if there are none.
func reducedAxes(axes []int, rank int) []int {
	c := &Call{}
	return c.Axes(axes, rank)
}

// countAlong returns how many elements one result of a reduction over axes is made of.
func countAlong(shape, axes []int) int {
	count := 1
	for _, axis := range reducedAxes(axes, len(shape)) {
		count *= shape[axis]
	}
	return count
}

var _ Value = (*Tensor)(nil)

// Eager is the Emitter that runs operators at once. Constants are made in Env, and the capture that keeps the calls in Env keeps these too,
// whatever they are applied to. Site is the user's line, of which errors tell; if it is nil it is found at each call.
type Eager struct {
	Env  *Env
	Site *fault.Site
}

// Emit implements Emitter.
func (e Eager) Emit(op *Operator, params any, inputs ...Value) []Value {
	tensors := make([]*Tensor, len(inputs))
	for i, in := range inputs {
		tensors[i] = e.captured(in.(*Tensor))
	}
	if t := op.byShortcut(params, nil, tensors); t != nil {
		return []Value{t}
	}
	site := e.Site
	if site == nil {
		site = fault.Here(1)
	}
	outputs := invoke(op, params, nil, nil, tensors, site, nil)
	values := make([]Value, len(outputs))
	for i, out := range outputs {
		values[i] = out
	}
	return values
}

// captured returns t in the capture of Env, if there is one: a saved operand may be all that a call is applied to.
func (e Eager) captured(t *Tensor) *Tensor {
	if env := t.env.WithCaptureOf(e.Env); env != t.env && !t.IsScalar() {
		return t.In(env)
	}
	return t
}

// Constant implements Emitter.
func (e Eager) Constant(value float64, d dtype.DType) Value { return Scalar(e.Env, value, d) }
