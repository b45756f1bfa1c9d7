package autograd

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/resource"
)

// Checkpoint returns what fn returns, with the same gradients, for less memory: a tape saves the inputs alone, and fn runs
// again when the gradients are asked for (Chen et al., "Training deep nets with sublinear memory cost", 2016). fn must
// compute its results, at least one, from its inputs: other arrays that it refers to are constants, and watched ones are an
// error. It may draw random numbers from the generators of the Envs of its inputs, in one goroutine; they are the same both
// times, and the same as without Checkpoint. Inside fn gradients are added up first: where an input is used several times
// within fn and elsewhere too, the order of that sum, and so its last bit, may differ from that without Checkpoint.
// Everything else is equal in bits.
//
// fn runs in the caller's goroutine, and again in that of Gradient. If its results have other shapes or dtypes there, Gradient
// panics with *nd.Error. Its side effects happen twice: a BatchNorm in it moves its running averages in both runs. Gradients of
// any order are right; those of higher order save what the second run computes.
func Checkpoint(fn func(inputs []*nd.Array) []*nd.Array, inputs ...*nd.Array) []*nd.Array {
	checkFunction("Checkpoint", fn != nil)
	checkNotNil("Checkpoint", inputs...)
	draws := repetition{}
	c := &call{name: "Checkpoint", site: fault.Here(1)}
	c.backward = func(saved, upstream []*nd.Array, wanted []bool, hold func(...*nd.Array)) []*nd.Array {
		return c.again(func(inputs []*nd.Array) []*nd.Array { return draws.run(fn, inputs) }, saved, upstream, wanted, hold)
	}
	return c.do(func(plain []*nd.Array) (outputs, saved []*nd.Array) { return draws.run(fn, plain), plain }, inputs)
}

// again runs fn a second time under a tape of its own, and returns the gradients of the wanted inputs.
func (c *call) again(fn func(inputs []*nd.Array) []*nd.Array, saved, upstream []*nd.Array, wanted []bool, hold func(...*nd.Array)) []*nd.Array {
	tape, handles, sources := NewTape(), slices.Clone(saved), []*nd.Array{}
	defer tape.Close()
	for i, a := range saved {
		if wanted[i] {
			handles[i] = tape.handle("Checkpoint", a)
			sources = append(sources, handles[i])
		}
	}
	ys, ups := c.connected(tape, fn(handles), upstream)
	gradients := make([]*nd.Array, len(saved))
	if len(ys) == 0 {
		return gradients
	}
	b := tape.gradient(ys, ups, sources)
	for i, next := 0, 0; i < len(saved); i++ {
		if !wanted[i] {
			continue
		}
		if g := b.gradients[b.wanted[next]]; g != nil {
			gradients[i] = (*nd.Array)(g.(*ops.Tensor)).In(saved[i].Env())
		}
		next++
	}
	for _, a := range slices.Concat(upstream, gradients) {
		if a != nil && slices.Contains(b.emitter.held, memoryOf((*ops.Tensor)(a))) {
			hold(a)
		}
	}
	return gradients
}

// connected returns the results of the second run that the tape watches, and their gradients.
func (c *call) connected(tape *Tape, outputs, upstream []*nd.Array) (ys, ups []*ops.Tensor) {
	if len(outputs) != len(upstream) {
		c.fail(fault.ErrMisuse, fmt.Sprintf("the function returned %d results, and %d when it ran again", len(upstream), len(outputs)))
	}
	for i, y := range outputs {
		if y == nil || !slices.Equal(y.Shape(), upstream[i].Shape()) || y.DType() != upstream[i].DType() {
			c.fail(fault.ErrMisuse, fmt.Sprintf("result %d of the function had another shape or dtype when it ran again", i))
		}
		if tape.node(y) >= 0 && y.DType().IsInexact() {
			ys, ups = append(ys, (*ops.Tensor)(y)), append(ups, (*ops.Tensor)(upstream[i]))
		}
	}
	return ys, ups
}

// repetition gives a function the same random numbers each time it runs: for each generator it has the function that makes the
// generators of the runs.
type repetition map[*resource.Generator]func() *resource.Generator

// run calls fn with inputs whose Envs have repeatable generators; the results have the generators of the inputs again.
func (r repetition) run(fn func(inputs []*nd.Array) []*nd.Array, inputs []*nd.Array) []*nd.Array {
	ours, theirs := map[*resource.Generator]*resource.Generator{}, map[*resource.Generator]*resource.Generator{}
	placed := make([]*nd.Array, len(inputs))
	for i, in := range inputs {
		if (*ops.Tensor)(in).IsScalar() {
			placed[i] = in // which adapts to others, and draws nothing
			continue
		}
		g := in.Env().Generator()
		if r[g] == nil {
			r[g] = g.Repeatable()
		}
		if ours[g] == nil {
			ours[g] = r[g]()
			theirs[ours[g]] = g
		}
		placed[i] = in.In(in.Env().WithGenerator(ours[g]))
	}
	outputs := slices.Clone(fn(placed))
	for i, out := range outputs {
		if out != nil && theirs[out.Env().Generator()] != nil {
			outputs[i] = out.In(out.Env().WithGenerator(theirs[out.Env().Generator()]))
		}
	}
	return outputs
}
