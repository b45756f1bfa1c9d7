package ops

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/storage"
)

// mostReduced is the most axes of an operand that is reduced by a shortcut.
const mostReduced = 6

// reductionCall is a reduction by a shortcut: the kernel, and what it is called with.
type reductionCall struct {
	kernel    cpu.Kernel
	params    any
	thread    *parallel.Thread // alone
	arguments device.Arguments
	views     [2]device.View // of the result and of the operand
	integers  [1]int64
	shape     [mostReduced]int // of the result
	sizes     [4][mostReduced]int
}

// reductionCalls are those that are not in use.
var reductionCalls = sync.Pool{New: func() any {
	c := &reductionCall{thread: parallel.Serial()}
	c.arguments.Outputs, c.arguments.Inputs, c.arguments.Integers = c.views[:1], c.views[1:], c.integers[:]
	return c
}}

func (c *reductionCall) release() {
	c.views, c.params = [2]device.View{}, nil // or they would keep memory alive
	reductionCalls.Put(c)
}

// arrange does what lowerReduction does, for an operand that lies as view, and returns the shape of the result. It returns nil
// if lowerReduction has to do it, for mistakes among others.
func (c *reductionCall) arrange(p ReduceParams, view *storage.View) (shape []int) {
	rank, reduced := len(view.Shape), uint(0)
	if rank > mostReduced {
		return nil
	}
	for _, axis := range p.Axes {
		if axis < 0 {
			axis += rank
		}
		if axis < 0 || axis >= rank || reduced>>axis&1 == 1 {
			return nil
		}
		reduced |= 1 << axis
	}
	if len(p.Axes) == 0 {
		reduced = 1<<rank - 1
	}
	shape = c.shape[:0]
	sizes, strides := c.sizes[0][:0], c.sizes[1][:0]
	for axis, n := range view.Shape {
		if reduced>>axis&1 == 0 {
			sizes, strides, shape = append(sizes, n), append(strides, view.Strides[axis]), append(shape, n)
		} else if p.KeepDims {
			shape = append(shape, 1)
		}
	}
	kept := len(sizes)
	for axis, n := range view.Shape {
		if reduced>>axis&1 == 1 {
			sizes, strides = append(sizes, n), append(strides, view.Strides[axis])
		}
	}
	to, toStrides, count := append(c.sizes[2][:0], sizes[:kept]...), c.sizes[3][:kept], 1
	for axis := kept - 1; axis >= 0; axis-- {
		toStrides[axis] = count
		count *= to[axis]
	}
	c.views[0].Shape, c.views[0].Strides = to, toStrides
	c.views[1].DType, c.views[1].Shape, c.views[1].Strides = view.DType, sizes, strides
	c.integers[0] = int64(rank - kept)
	return shape
}

// reduceByShortcut is byShortcut for a reduction.
func (op *Operator) reduceByShortcut(params any, dst *Tensor, inputs []*Tensor) *Tensor {
	p, ok := params.(ReduceParams)
	if !ok || len(inputs) != 1 || inputs[0] == nil || len(inputs[0].nodes()) > 0 {
		return nil
	}
	view := &inputs[0].view
	r := straight{shortcut: op.shortcuts[view.DType].Load(), operator: op, dst: dst, env: inputs[0].env}
	if r.shortcut == nil || !r.env.isOrdinary() {
		return nil
	}
	c := reductionCalls.Get().(*reductionCall)
	defer c.release()
	if r.shape = c.arrange(p, view); r.shape == nil {
		return nil
	}
	count := view.Count()
	if r.count = storage.Count(r.shape); r.count == 0 || count == 0 || !isBriefReduction(*view, r.count) {
		return nil
	}
	c.kernel, c.params, c.views[0].DType = r.reduce, params, r.result
	r.reduction, r.long = c, count > shortElements
	if dst != nil && dst.view.Synced == view.Synced {
		return nil
	}
	return r.call(inputs)
}

// run computes the result from an operand, at these addresses.
func (c *reductionCall) run(t *parallel.Thread, to, from unsafe.Pointer) error {
	if t == nil {
		t = c.thread
	}
	c.views[0].Pointer.Host, c.views[1].Pointer.Host = to, from
	return c.kernel(t, &c.arguments)
}
