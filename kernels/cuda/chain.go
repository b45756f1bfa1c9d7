package cuda

import (
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// chain is launches of element-wise kernels that follow one another while a stream keeps its work, over arrays of one shape. They become
// one launch, of a kernel that interprets them for each element: see chain.cuh. What a link computes the next ones have without reading it,
// and what a later one overwrites is not written.
//
// A thread computes all links for its elements, and no other waits for it. So an array that a link writes is none that another link sees
// in a different way: elements at other places, or of another type.
type chain struct {
	links    []link
	shape    []int     // of the arrays, without axes of one element
	joined   []bool    // whether axis i and the next one are one axis for all operands
	operands []*member // without repetitions
	computed dtype.DType
}

// link is one launch.
type link struct {
	kernel    *kernel
	arguments device.Arguments
	code      uint8 // of chain.cuh
	rounding  uint8
	inputs    []*member
	output    *member
}

// member is an array of a chain.
type member struct {
	view    device.View // with the axes of the chain
	lo, hi  int         // where its bytes are, from its pointer on
	written bool
	unseen  bool // after the last link that reads it
}

// add adds a launch to the chain, unless it reports false, and the chain is as it was.
func (c *chain) add(k *kernel, a *device.Arguments) bool {
	code, rounding, computed, ok := chainable(k, a)
	if !ok {
		return false
	}
	next := *c
	if len(c.links) == 0 {
		next = chain{shape: withoutOnes(a.Outputs[0].Shape), computed: computed}
		next.joined = make([]bool, max(0, len(next.shape)-1))
		for i := range next.joined {
			next.joined[i] = true
		}
	} else {
		next.joined, next.operands = slices.Clone(c.joined), slices.Clone(c.operands)
	}
	if next.computed == dtype.Bool {
		next.computed = computed
	}
	if len(next.links) == chainSteps || computed != dtype.Bool && computed != next.computed {
		return false
	}
	l := link{kernel: k, code: code, rounding: rounding}
	for _, v := range a.Inputs {
		m := next.member(v)
		if m == nil || next.meets(m, func(other *member) bool { return other.written }) {
			return false
		}
		l.inputs = append(l.inputs, m)
	}
	l.output = next.member(a.Outputs[0])
	if l.output == nil || !l.output.isInjective(next.shape) || next.meets(l.output, func(*member) bool { return true }) {
		return false
	}
	if len(next.operands) > chainOperands || next.axes() > chainAxes {
		return false
	}
	for i, m := range append(slices.Clone(l.inputs), l.output) {
		m.unseen = i < len(l.inputs) && a.Unseen>>i&1 != 0
	}
	l.output.written = true
	l.arguments = *a
	l.arguments.Outputs, l.arguments.Inputs = slices.Clone(a.Outputs), slices.Clone(a.Inputs)
	next.links = append(next.links, l)
	*c = next
	return true
}

// member returns the array v, which is one of the operands from now on; nil if it has not the shape of the chain.
func (c *chain) member(v device.View) *member {
	if !slices.Equal(withoutOnes(v.Shape), c.shape) {
		return nil
	}
	m := &member{view: device.View{Pointer: v.Pointer, DType: v.DType, Shape: c.shape}, hi: v.DType.Size()}
	for i, n := range v.Shape {
		if n == 1 {
			continue
		}
		m.view.Strides = append(m.view.Strides, v.Strides[i])
		if span := (n - 1) * v.Strides[i] * v.DType.Size(); span < 0 {
			m.lo += span
		} else {
			m.hi += span
		}
	}
	for _, known := range c.operands {
		if known.view.Pointer == v.Pointer && known.view.DType == v.DType && slices.Equal(known.view.Strides, m.view.Strides) {
			return known
		}
	}
	for i := range c.joined {
		c.joined[i] = c.joined[i] && m.view.Strides[i] == m.view.Strides[i+1]*c.shape[i+1]
	}
	c.operands = append(c.operands, m)
	return m
}

// meets reports whether m shares bytes with another operand, of those that matter.
func (c *chain) meets(m *member, matters func(other *member) bool) bool {
	from := m.view.Pointer.Address
	return slices.ContainsFunc(c.operands, func(other *member) bool {
		start := other.view.Pointer.Address
		return other != m && matters(other) && from+uintptr(m.lo) < start+uintptr(other.hi) && start+uintptr(other.lo) < from+uintptr(m.hi)
	})
}

// isInjective reports whether the elements are at different places, as far as strides tell.
func (m *member) isInjective(shape []int) bool {
	order := make([]int, len(shape))
	for i := range order {
		order[i] = i
	}
	step := func(i int) int { return max(m.view.Strides[i], -m.view.Strides[i]) }
	slices.SortFunc(order, func(i, j int) int { return step(i) - step(j) })
	reach := 0 // of the axes before
	for _, i := range order {
		if step(i) <= reach {
			return false
		}
		reach += (shape[i] - 1) * step(i)
	}
	return true
}

// axes returns how many axes there are when those that can be one are.
func (c *chain) axes() int {
	axes := len(c.shape)
	for _, joined := range c.joined {
		if joined {
			axes--
		}
	}
	return axes
}

func withoutOnes(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(n int) bool { return n == 1 })
}
