package ops

import (
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// shortcut is what an element-wise operator without parameters comes to for operands of certain element types, which it does not
// convert: the type of the result, and the loop that computes it.
type shortcut struct {
	operands int
	types    [2]dtype.DType
	result   dtype.DType
	line     cpu.Line
}

// shortcuts are those of an operator by the element type of the first operand, where a call has shown them.
type shortcuts [dtype.Count]atomic.Pointer[shortcut]

// learn remembers the shortcut that l shows, if it is one: it was prepared, and so it is free of mistakes.
func (l *launch) learn() {
	c, op := &l.call, l.call.Operator
	if op.shortcuts == nil || l.device.Kind != device.KindCPU || len(l.lowered.Integers)+len(l.lowered.Scalars)+l.lowered.Scratch > 0 {
		return
	}
	s := shortcut{operands: len(c.Inputs), result: c.Outputs[0].DType, line: l.kernel.line}
	for i, in := range c.Inputs {
		s.types[i] = in.DType
	}
	known := &op.shortcuts[s.types[0]]
	if old := known.Load(); old != nil && old.types == s.types {
		return
	}
	if s.line.IsKnown() {
		shown := s
		known.Store(&shown)
	}
}

// hasShortcuts reports whether calls of op may differ in nothing but operands and results.
func (op *Operator) hasShortcuts() bool {
	return (op.Form == FormUnary || op.Form == FormBinary) && op.Params == nil && !op.Draws && op.Mutates == nil && op.View == nil
}

// short calls op by a shortcut, and returns the result, which is in dst if that is not nil. It returns nil, having done nothing, if
// there is no shortcut, the arrays do not lie in memory as it wants them, the engine has to order the call among others, or anybody
// watches: whatever is out of the ordinary, mistakes among it, is for invoke.
func (op *Operator) short(params any, dst *Tensor, inputs []*Tensor) *Tensor {
	r := straight{dst: dst}
	if op.shortcuts == nil || params != nil || !r.find(op, inputs) {
		return nil
	}
	if dst == nil {
		bytes := r.count * r.result.Size()
		if !storage.FitsSmall(r.env.device, bytes) {
			return nil
		}
		dst, _ = newCompact(r.env, storage.Computed, r.result, r.shape, bytes)
	} else if !r.fits(dst, inputs) {
		return nil
	}
	if !r.compute(dst, inputs) {
		return nil
	}
	if r.dst == nil {
		r.env.memory.add(dst.view.Synced)
	}
	return dst
}

// straight is a call whose operands are so many elements that follow one another in memory, or one element for all.
type straight struct {
	*shortcut
	dst      *Tensor // nil if the result is new
	env      *Env
	shape    []int
	count    int
	repeated int // the operands that are one element: a sum of 1<<i
}

// find looks at the operands, and for their shortcut.
func (r *straight) find(op *Operator, inputs []*Tensor) bool {
	for i, t := range inputs {
		if t == nil || len(t.nodes()) > 0 || i > 0 && t.env != r.env {
			return false
		}
		if i == 0 {
			r.env = t.env
			if r.shortcut = op.shortcuts[t.view.DType].Load(); r.shortcut == nil || r.operands != len(inputs) {
				return false
			}
		}
		count, isRow := t.view.Row()
		if !isRow || t.view.DType != r.types[i] || !r.join(i, count, t.view.Shape) {
			return false
		}
	}
	return r.shortcut != nil && r.count > 0 && len(r.env.scope) == 0 && r.env.device.Kind == device.KindCPU &&
		(r.repeated == 0 || r.line.Repeats(r.count)) && isShort(r.line, r.count)
}

// join takes operand i, of the given shape, to those before.
func (r *straight) join(i, count int, shape []int) bool {
	switch {
	case i == 0:
		r.count, r.shape = count, shape
	case slices.Equal(shape, r.shape):
	case count == 1 && len(shape) <= len(r.shape):
		r.repeated = 1 << i
	case r.count == 1 && len(r.shape) <= len(shape):
		r.count, r.shape, r.repeated = count, shape, 1<<i-1
	default:
		return false
	}
	return true
}

// fits reports whether the result can be written to dst.
func (r *straight) fits(dst *Tensor, inputs []*Tensor) bool {
	if dst == nil || dst.env != r.env || len(dst.nodes()) > 0 || dst.view.DType != r.result || !slices.Equal(dst.view.Shape, r.shape) {
		return false
	}
	for i, t := range inputs {
		if t.view.Synced == dst.view.Synced && (t.view.Offset != dst.view.Offset || r.repeated>>i&1 != 0) {
			return false
		}
	}
	_, isRow := dst.view.Row()
	return isRow
}

// compute computes the result while nobody else can push. It reports false where that is not to be, or has failed.
func (r *straight) compute(dst *Tensor, inputs []*Tensor) (done bool) {
	e, writes := r.env.engine, r.dst != nil
	if !e.TryAlone(writes) {
		return false
	}
	defer func() {
		if !done {
			_ = recover() // The call is repeated as an operation, whose panic is an error of its result.
		}
		e.EndAlone(writes, done)
	}()
	var operands [2]unsafe.Pointer
	for i, t := range inputs {
		if operands[i] = t.at(t.view.Synced.Settled(r.env.device)); operands[i] == nil {
			return false
		}
	}
	result := dst.view.Synced.Free(r.env.device)
	if result == nil {
		return false
	}
	r.line.Run(r.count, dst.at(result), operands[0], operands[1], r.repeated)
	if writes {
		dst.view.Synced.CountWrite()
	}
	runtime.KeepAlive(inputs[0])
	runtime.KeepAlive(inputs[len(inputs)-1])
	runtime.KeepAlive(dst)
	return true
}

// at returns the address of the first element of t, whose memory is at the given one, if that is not nil.
func (t *Tensor) at(memory unsafe.Pointer) unsafe.Pointer {
	if memory == nil {
		return nil
	}
	return unsafe.Add(memory, t.view.Offset*t.view.DType.Size())
}
