package autograd

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

// Gradient returns the gradients of loss, an array of one real number, with respect to sources: arrays that t watches, or
// that were given to Watch. A source that loss does not depend on gets zeros. Each gradient is on the device of its source,
// and shares memory with no other array. That of complex numbers x + iy is ∂loss/∂x + i·∂loss/∂y, so that a step against it is one
// of descent, as PyTorch has it; JAX has the conjugate. The tape is closed unless it is persistent. Misuse, such as a loss of
// integers, panics with *nd.Error; failures at run time travel in the gradients.
func (t *Tape) Gradient(loss *nd.Array, sources ...*nd.Array) []*nd.Array {
	checkNotNil("gradient", loss)
	tensor := (*ops.Tensor)(loss)
	if tensor.View().Count() != 1 {
		t.fail(fault.ErrShape, tensor, "the loss must have one element: sum it, or use GradientWith")
	}
	if tensor.DType().IsComplex() {
		t.fail(fault.ErrDType, tensor, "the loss must be real: take its real part, or its magnitude, or use GradientWith")
	}
	one := ops.Number(tensor.Env(), 1, tensor.DType(), tensor.Shape())
	return t.gradient([]*ops.Tensor{tensor}, []*ops.Tensor{one}, sources).own(sources)
}

// GradientWith returns the sum over all elements of y of the gradient of that element times the element of upstream,
// which has the shape and dtype of y: the product of upstream with the Jacobian of y. Where y is complex it is the
// gradient of the real part of the sum of y times the conjugate of upstream. Otherwise it is as Gradient.
func (t *Tape) GradientWith(y, upstream *nd.Array, sources ...*nd.Array) []*nd.Array {
	checkNotNil("gradient", y, upstream)
	tensor, up := (*ops.Tensor)(y), (*ops.Tensor)(upstream)
	if fault.FormatShape(tensor.Shape()) != fault.FormatShape(up.Shape()) || tensor.DType() != up.DType() {
		t.fail(fault.ErrShape, tensor, fmt.Sprintf("the upstream gradient is %v %s", up.DType(), fault.FormatShape(up.Shape())))
	}
	return t.gradient([]*ops.Tensor{tensor}, []*ops.Tensor{up}, sources).own(sources)
}

// Connected reports whether y depends on source according to what t has recorded.
func (t *Tape) Connected(y, source *nd.Array) bool {
	checkNotNil("Tape.Connected", y, source)
	from, to := t.node(source), t.node(y)
	if from < 0 || to < 0 {
		return false
	}
	records, nodes, ok := t.take(true)
	return ok && reached(records, nodes, []int{from})[to]
}

// fail panics with the error of a misuse, blamed on the user's line.
func (t *Tape) fail(reason error, y *ops.Tensor, detail string) {
	panic(&nd.Error{
		Operator: "gradient", Detail: detail, Cause: reason, Site: fault.Here(2),
		Shapes: [][]int{y.Shape()}, DTypes: []dtype.DType{y.DType()},
	})
}

// gradient carries the gradients of ys back to the sources. It is called directly by functions that users call, so that errors
// name the user's line.
func (t *Tape) gradient(ys, upstream []*ops.Tensor, sources []*nd.Array) *backward {
	checkNotNil("gradient", sources...)
	if t.Closed() {
		t.fail(fault.ErrMisuse, ys[0], used)
	}
	ids := make([]int, len(sources))
	for i, source := range sources {
		ids[i] = t.node(source)
	}
	roots := make([]int, len(ys))
	for i, y := range ys {
		if !y.DType().IsInexact() {
			t.fail(fault.ErrDType, y, "only floats and complex numbers have gradients, not "+y.DType().String())
		}
		if roots[i] = t.node((*nd.Array)(y)); roots[i] < 0 {
			t.fail(fault.ErrMisuse, y, "the tape watches nothing that this array was computed from")
		}
	}
	records, nodes, ok := t.take(t.persistent)
	if !ok {
		t.fail(fault.ErrMisuse, ys[0], used)
	}
	if !t.persistent {
		defer forget(records) // those that a panicking function of the user's has left
		t.unwatch()
	}
	site := fault.Here(2)
	emitter := &temporaries{Eager: ops.Eager{Env: ys[0].Env(), Site: site}, site: site, uses: map[*storage.Synced]int{}}
	b := &backward{emitter: emitter, reached: reached(records, nodes, ids), gradients: make([]ops.Value, nodes), wanted: ids}
	for i, root := range roots {
		b.taken = append(b.taken, upstream[i].View().Synced)
		b.arrive(root, ys[i].Device(), upstream[i])
	}
	for i := len(records) - 1; i >= 0; i-- {
		b.visit(records[i])
		if !t.persistent {
			forget(records[i : i+1])
		}
	}
	return b
}

const used = "the tape was used or closed before; make it with Persistent to use it several times"

// reached reports, for each node, whether it depends on one of the given nodes.
func reached(records []*ops.Record, nodes int, from []int) []bool {
	depends := make([]bool, nodes)
	for _, id := range from {
		if id >= 0 {
			depends[id] = true
		}
	}
	for _, record := range records {
		for _, in := range record.Inputs {
			if in.Node < 0 || !depends[in.Node] {
				continue
			}
			for _, out := range record.Outputs {
				depends[out.Node] = true
			}
		}
	}
	return depends
}

// backward is the state of one pass from the loss to the sources.
type backward struct {
	emitter   *temporaries
	reached   []bool
	gradients []ops.Value // by node, nil where nothing has arrived
	wanted    []int
	taken     []*storage.Synced // memory that belongs to the upstream gradient or to a result
}

// on returns v for use on d: arrays move between devices from call to call, and their gradients with them.
func on(d device.Device, v ops.Value) ops.Value {
	tensor := v.(*ops.Tensor)
	if tensor.Device() == d {
		return tensor
	}
	return tensor.In(tensor.Env().WithDevice(d))
}

// visit carries the gradients of a recorded call's results over to its operands.
func (b *backward) visit(record *ops.Record) {
	upstream, any := make([]ops.Value, len(record.Outputs)), false
	for i, out := range record.Outputs {
		if gradient := b.gradients[out.Node]; gradient != nil {
			upstream[i], any = on(record.Device, gradient), true
		}
	}
	if !any {
		return
	}
	wanted, any := make([]bool, len(record.Inputs)), false
	for i, in := range record.Inputs {
		wanted[i] = in.Node >= 0 && b.reached[in.Node]
		any = any || wanted[i]
	}
	if !any {
		return
	}
	if !record.Operator.IsRegistered() {
		b.emitter.show(upstream)
	}
	b.emitter.Site = b.emitter.site.InGradientOf(record.Operator.Called(), record.Site)
	for i, gradient := range ops.Differentiate(b.emitter, record, upstream, wanted) {
		if gradient == nil || !wanted[i] {
			continue
		}
		b.arrive(record.Inputs[i].Node, record.Device, gradient)
	}
	b.emitter.Site = b.emitter.site
	b.drop(record)
	b.emitter.sweep()
}

// arrive adds gradient, which is on d, to that of a node.
func (b *backward) arrive(node int, d device.Device, gradient ops.Value) {
	before := b.gradients[node]
	if before != nil {
		gradient = b.emitter.Emit(ops.Add, nil, on(d, before), gradient)[0]
	}
	b.gradients[node] = gradient
	b.emitter.use(gradient)
	if before != nil {
		b.emitter.unuse(before)
	}
}

// drop forgets the gradients of a visited call's results: nothing else can need them, unless they were asked for.
func (b *backward) drop(record *ops.Record) {
	for _, out := range record.Outputs {
		asked := false
		for _, id := range b.wanted {
			asked = asked || id == out.Node
		}
		if gradient := b.gradients[out.Node]; !asked && gradient != nil {
			b.gradients[out.Node] = nil
			b.emitter.unuse(gradient)
		}
	}
}

// own returns the gradients of the sources in memory of their own.
func (b *backward) own(sources []*nd.Array) []*nd.Array {
	results := make([]*nd.Array, len(sources))
	for i, source := range sources {
		results[i] = b.result(b.wanted[i], (*ops.Tensor)(source))
	}
	return results
}

// result returns the gradient of a source, zeros if nothing has arrived. Rules pass upstream gradients and views of them on:
// what is not alone in its memory is copied.
func (b *backward) result(id int, source *ops.Tensor) *nd.Array {
	if id >= 0 && b.gradients[id] != nil {
		gradient := on(source.Device(), b.gradients[id]).(*ops.Tensor)
		if memory := gradient.View().Synced; !gradient.View().CoversAll() || slices.Contains(b.taken, memory) || slices.Contains(b.emitter.held, memory) {
			gradient = ops.Invoke(ops.Copy, nil, gradient)[0]
		}
		b.taken = append(b.taken, gradient.View().Synced)
		return (*nd.Array)(gradient)
	}
	zeros := ops.InvokeIn(source.Env().WithCaptureOf(b.emitter.Env), ops.Fill, ops.FillParams{Shape: source.Shape(), DType: source.DType()})
	return (*nd.Array)(zeros[0])
}
