package ops

import (
	"context"
	"runtime"
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// Tensor is a handle on an array: a view of memory, the Env that its operators run in, and one node for each recorder
// that watches it. It is immutable; the memory behind it is not.
type Tensor struct {
	view  storage.View
	env   *Env
	notes *notes // nil for most
}

// notes are what few tensors have. They are immutable.
type notes struct {
	nodes  []Node
	scalar number // of a host scalar: it adapts to the device and the dtype of the other operands
	first  [1]Node
}

// nodes returns the nodes of t, one for each recorder that watches it.
func (t *Tensor) nodes() []Node {
	if t.notes == nil {
		return nil
	}
	return t.notes.nodes
}

// scalar returns the value of a host scalar, or what is none.
func (t *Tensor) scalar() number {
	if t.notes == nil {
		return number{}
	}
	return t.notes.scalar
}

// note gives t, which nobody else sees yet, other nodes and another value as a scalar. The nodes are copied.
func (t *Tensor) note(nodes []Node, scalar number) {
	if t.notes = nil; len(nodes) > 0 || scalar.kind != dtype.KindInvalid {
		t.notes = &notes{scalar: scalar}
		t.notes.nodes = append(t.notes.first[:0], nodes...)
	}
}

// Shape returns the elements along each axis; it must not be changed.
func (t *Tensor) Shape() []int { return t.view.Shape }

// DType returns the element type.
func (t *Tensor) DType() dtype.DType { return t.view.DType }

// View returns the memory that t sees.
func (t *Tensor) View() storage.View { return t.view }

// Env returns the Env.
func (t *Tensor) Env() *Env { return t.env }

// Device returns the device that operators on t run on.
func (t *Tensor) Device() device.Device { return t.env.device }

// In returns a handle on the same data in another Env of the same engine; another engine panics with *fault.Error.
func (t *Tensor) In(env *Env) *Tensor {
	if env.engine != t.env.engine {
		panic(&fault.Error{
			Operator: "In", Detail: "the array belongs to another engine than the Env", Cause: fault.ErrDevice,
			Shapes: [][]int{t.Shape()}, DTypes: []dtype.DType{t.DType()}, Site: fault.Here(1),
		})
	}
	moved := *t
	moved.env = env
	if t.IsScalar() {
		moved.note(t.nodes(), number{})
	}
	return &moved
}

// NewTensor returns a handle on v in env.
func NewTensor(v storage.View, env *Env) *Tensor { return &Tensor{view: v, env: env} }

// FromBytes returns a new array whose contents are copied from data, row-major.
func FromBytes(env *Env, d dtype.DType, data []byte, shape []int) *Tensor {
	var t *Tensor
	if env.device == device.CPU(0) && storage.FitsSmall(env.device, len(data)) {
		c := newCompact(env, storage.Given, d, shape, len(data))
		copy(unsafe.Slice((*byte)(c.Claim()), len(data)), data)
		t = &c.tensor
	} else {
		view, err := storage.NewViewOf(env.engine, d, data, shape)
		if err != nil {
			panic(&fault.Error{Operator: "FromSlice", Detail: err.Error(), Shapes: [][]int{slices.Clone(shape)}, DTypes: []dtype.DType{d}, Cause: err, Site: fault.Here(1)})
		}
		t = &Tensor{env: env, view: view}
	}
	env.Own(t.view.Synced)
	return t
}

// Wait blocks until the contents of t are there, and returns the error that sticks to them, each time it is asked.
func (t *Tensor) Wait(ctx context.Context) error {
	err := t.view.Synced.Wait(ctx)
	runtime.KeepAlive(t) // Whoever waits for an array has not dropped it.
	return err
}

// Release gives the memory of t back when the operators called so far are done. Using t, or any other view of the memory,
// later panics with fault.ErrReleased. Memory that is not released is given back after it has become unreachable. That of an array in
// the Env of a Capture is kept until the capture is released.
func (t *Tensor) Release() {
	if t.env.capturing() != nil {
		t.view.Synced.Discard(fault.Here(1))
		return
	}
	t.view.Synced.Release(fault.Here(1))
}

// Discard releases the memory of t as soon as no live tape has it saved, for a caller who knows that nobody else will use it:
// so temporaries of a function are not left to the collector. Below 4 KiB they still are. Site is the user's line.
func (t *Tensor) Discard(site *fault.Site) { t.view.Synced.Discard(site) }

// SharesMemory reports whether t and other see the same piece of memory, whichever parts of it.
func (t *Tensor) SharesMemory(other *Tensor) bool { return t.view.Synced == other.view.Synced }
