package ops

import (
	"reflect"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// shortcut is what a call of an element-wise operator amounts to if its operands have certain element types, which are not
// converted, and its parameters determine at most the type of the result: that type, and the loop that computes it.
type shortcut struct {
	types  operandTypes
	params any
	result dtype.DType
	line   cpu.Line
	reduce cpu.Kernel // of a reduction, in place of line; its parameters may be any
	next   *shortcut  // of other types or parameters

	nanoseconds float64 // of an element
}

// operandTypes are the element types of operands, one in each byte: there is none of number 0.
type operandTypes uint32

func (o operandTypes) with(operand int, d dtype.DType) operandTypes {
	return o | operandTypes(d)<<(8*operand)
}

func (o operandTypes) size(operand int) int { return dtype.DType(o >> (8 * operand)).Size() }

// shortcuts are those of an operator by the element type of the first operand, where a call has shown them.
type shortcuts [dtype.Count]atomic.Pointer[shortcut]

// mostShortcuts is how many shortcuts are kept for an element type of the first operand.
const mostShortcuts = 2 * dtype.Count

// learn remembers the shortcut that l shows, if it is one: it was prepared, and so it is free of mistakes.
func (l *launch) learn() {
	c, op := &l.call, l.call.Operator
	if op.shortcuts == nil || l.device.Kind != device.KindCPU {
		return
	}
	s := shortcut{result: c.Outputs[0].DType}
	switch {
	case op.Form == FormReduction:
		if s.reduce = l.kernel.host; l.kernel.widens {
			return
		}
	case !l.kernel.line.IsKnown() || len(l.lowered.Integers)+len(l.lowered.Scalars)+l.lowered.Scratch > 0:
		return
	default:
		s.params, s.line, s.nanoseconds = c.Params, l.kernel.line, l.kernel.line.Nanoseconds(1)
	}
	for i, in := range c.Inputs {
		s.types = s.types.with(i, in.DType)
	}
	first := &op.shortcuts[c.Inputs[0].DType]
	known, count := first.Load(), 0
	for old := known; old != nil; old = old.next {
		if old.types == s.types && old.params == s.params {
			return
		}
		count++
	}
	if count < mostShortcuts {
		shown := s
		shown.next = known
		first.CompareAndSwap(known, &shown) // What another goroutine has learnt at the same time stays; the next call learns again.
	}
}

// hasShortcuts reports whether calls of op may differ in nothing but operands, results and the types of these.
func (op *Operator) hasShortcuts() bool {
	if op.reduces {
		return true
	}
	return len(op.Inputs) > 0 && len(op.Inputs) <= cpu.LineOperands && !op.variadic() && op.Form != FormReduction &&
		(op.Params == nil || reflect.TypeOf(op.Params).Comparable()) && !op.Draws && op.Mutates == nil && op.View == nil
}

// byShortcut calls op by a shortcut, and returns the result, which is in dst if that is not nil. It returns nil, having done
// nothing, if there is no shortcut, the arrays do not lie in memory as a shortcut needs them, the engine has to order the call
// among others, or anybody watches: invoke handles whatever is out of the ordinary, including mistakes.
func (op *Operator) byShortcut(params any, dst *Tensor, inputs []*Tensor) *Tensor {
	if op.shortcuts == nil {
		return nil
	}
	if op.reduces {
		return op.reduceByShortcut(params, dst, inputs)
	}
	r := straight{operator: op, dst: dst}
	if !r.find(op, params, inputs) {
		return nil
	}
	return r.call(inputs)
}

// TryInto is InvokeInto for an operator of one result without parameters, if the caller can compute it at once by a shortcut.
// Otherwise, and for mistakes, it does nothing and reports false.
func (op *Operator) TryInto(dst *Tensor, inputs ...*Tensor) bool {
	return dst != nil && op.byShortcut(nil, dst, inputs) != nil
}

// call makes the result and computes it, if it can.
func (r *straight) call(inputs []*Tensor) *Tensor {
	dst := r.dst
	if dst == nil {
		bytes := r.count * r.result.Size()
		if !storage.FitsSmall(r.env.device, bytes) {
			return nil
		}
		r.fresh = newCompact(r.env, storage.Awaited, r.result, r.shape, bytes)
		dst = &r.fresh.tensor
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
