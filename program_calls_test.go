package weft_test

import (
	"math"
	"slices"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// index makes an index of an array, and returns the shape and the elements that it selects.
func (p *planner) index(shape []int) (index []any, kept, from []int) {
	chosen := make([][]int, len(shape)) // along each axis
	counts := make([]int, len(shape))
	kept = []int{}
	for axis, n := range shape {
		if p.IntN(8) == 0 {
			index, kept = append(index, nd.NewAxis), append(kept, 1)
		}
		if n > 0 && p.IntN(4) == 0 {
			i := p.IntN(n)
			chosen[axis], counts[axis] = []int{i}, 1
			index = append(index, i-n*p.IntN(2))
			continue
		}
		start, step := p.IntN(n+1), p.IntN(5)-2
		if step == 0 {
			step = 1
			start = 0
		}
		stop := nd.Open
		if p.IntN(2) == 0 && start > 0 && step < 0 {
			stop = p.IntN(start)
		} else if p.IntN(2) == 0 && step > 0 {
			stop = start + p.IntN(n-start+1)
		}
		for i := start; i >= 0 && i < n && (stop == nd.Open || step > 0 && i < stop || step < 0 && i > stop); i += step {
			chosen[axis] = append(chosen[axis], i)
		}
		if start == n && step < 0 { // NumPy moves the start to the last element
			for i := n - 1; i >= 0 && (stop == nd.Open || i > stop); i += step {
				chosen[axis] = append(chosen[axis], i)
			}
		}
		index = append(index, nd.SpanBy(start, stop, step))
		counts[axis] = len(chosen[axis])
		kept = append(kept, counts[axis])
	}
	each(counts, func(_ int, position []int) {
		at := make([]int, len(shape))
		for axis, i := range position {
			at[axis] = chosen[axis][i]
		}
		from = append(from, flatOf(shape, at))
	})
	return index, kept, from
}

// view plans another look at an array.
func view(p *planner) {
	h := p.choose(anything)
	if h == nil {
		return
	}
	shape, from := []int{}, []int{}
	switch p.IntN(4) {
	case 0:
		index, shape, from := p.index(h.shape)
		p.look(h, shape, from, func(a *nd.Array) *nd.Array { return a.Index(index...) }, "index %v of ", index)
	case 1:
		axes := p.Perm(len(h.shape))
		for _, axis := range axes {
			shape = append(shape, h.shape[axis])
		}
		each(shape, func(_ int, index []int) {
			at := make([]int, len(axes))
			for i, axis := range axes {
				at[axis] = index[i]
			}
			from = append(from, flatOf(h.shape, at))
		})
		p.look(h, shape, from, func(a *nd.Array) *nd.Array { return a.Transpose(axes...) }, "transpose %v of ", axes)
	case 2:
		joint, ok := broadcast(h.shape, shapes[p.IntN(len(shapes))])
		if !ok {
			return
		}
		each(joint, func(_ int, index []int) { from = append(from, flatOf(h.shape, index)) })
		p.look(h, joint, from, func(a *nd.Array) *nd.Array { return a.BroadcastTo(joint...) }, "broadcast to %v of ", joint)
	case 3:
		count := countOf(h.shape)
		fitting := [][]int{{count}, {1, count}, {count, 1}}
		for _, shape := range append(shapes, []int{2, 6}, []int{6, 2}, []int{3, 4}, []int{6}, []int{3, 1, 2}) {
			if countOf(shape) == count {
				fitting = append(fitting, shape)
			}
		}
		shape = fitting[p.IntN(len(fitting))]
		reshape := func(a *nd.Array) *nd.Array { return a.Reshape(shape...) }
		if !h.viewable(shape) {
			p.compute(elementWise("copy", shape, h.memory.integer, func(index []int) number { return number{} }, h).like(h),
				func(_ *world, a []*nd.Array) *nd.Array { return reshape(a[0]) }, "reshape to %v of ", shape)
			return
		}
		each(shape, func(flat int, _ []int) { from = append(from, flat) })
		p.look(h, shape, from, reshape, "view as %v of ", shape)
	}
}

// elementWise returns the result with element f(index) at each index.
func elementWise(operator string, shape []int, integer bool, f func(index []int) number, operands ...*handle) result {
	r := result{operator: operator, integer: integer, shape: shape, operands: operands}
	each(shape, func(_ int, index []int) { r.elements = append(r.elements, f(index)) })
	return r
}

// like returns r with the elements of h in order.
func (r result) like(h *handle) result {
	for i := range r.elements {
		r.elements[i] = h.element(i)
	}
	return r
}

// unary plans an operator of one operand.
func unary(p *planner) {
	h := p.choose(anything)
	if h == nil {
		return
	}
	one := func(operator string, integer bool, f func(n number) number, call func(a *nd.Array) *nd.Array, saves ...*memory) {
		r := elementWise(operator, h.shape, integer, func(index []int) number { return f(h.element(flatOf(h.shape, index))) }, h)
		r.saves = saves
		p.compute(r, func(_ *world, a []*nd.Array) *nd.Array { return call(a[0]) }, "%s", operator)
	}
	integer, factor := h.memory.integer, float64(p.IntN(5)-2)
	switch p.IntN(8) {
	case 0:
		one("neg", integer, negative, (*nd.Array).Neg)
	case 1:
		one("square", integer, func(n number) number { return n.times(n) }, (*nd.Array).Square, h.memory)
	case 2:
		one("relu", integer, func(n number) number {
			if n.value > 0 {
				return n
			}
			return number{}
		}, (*nd.Array).Relu, nil)
	case 3:
		one("copy", integer, func(n number) number { return n }, (*nd.Array).Copy)
	case 4:
		one("cast", !integer, func(n number) number { return number{value: math.Trunc(n.value)} },
			func(a *nd.Array) *nd.Array { return a.Cast(dtypeOf(!integer)) })
	case 5:
		one("mul", integer, func(n number) number { return n.times(number{value: factor}) },
			func(a *nd.Array) *nd.Array { return a.MulScalar(factor) }, h.memory)
	default:
		reduce(p, h)
	}
}

func negative(n number) number { return number{}.plus(-1, n) }

// reduce plans a reduction over one axis or all.
func reduce(p *planner, h *handle) {
	axes, groups, shape := []int{}, h.shape, []int{}
	if rank := len(h.shape); rank > 0 && p.IntN(3) > 0 {
		axes = []int{p.IntN(rank)}
		groups = []int{h.shape[axes[0]]}
		shape = slices.Delete(slices.Clone(h.shape), axes[0], axes[0]+1)
	}
	group := func(index []int) (elements []number) {
		each(groups, func(_ int, inner []int) {
			at := inner
			if len(axes) > 0 {
				at = slices.Insert(slices.Clone(index), axes[0], inner[0])
			}
			elements = append(elements, h.element(flatOf(h.shape, at)))
		})
		return elements
	}
	if p.IntN(2) == 0 {
		r := elementWise("sum", shape, h.memory.integer, func(index []int) (sum number) {
			for _, n := range group(index) {
				sum = sum.plus(1, n)
			}
			return sum
		}, h)
		p.compute(r, func(_ *world, a []*nd.Array) *nd.Array { return a[0].Sum(axes...) }, "sum over %v of ", axes)
		return
	}
	if countOf(groups) == 0 {
		return
	}
	ties := false
	largest := func(index []int) (at int, largest number) {
		for i, n := range group(index) {
			ties = ties || i > 0 && n.value == largest.value
			if i == 0 || n.value > largest.value {
				at, largest = i, n
			}
		}
		return at, largest
	}
	r := elementWise("max", shape, h.memory.integer, func(index []int) number { _, n := largest(index); return n }, h)
	r.saves = []*memory{h.memory, nil}
	if p.IntN(2) == 0 {
		r = elementWise("argmax", shape, true, func(index []int) number { at, _ := largest(index); return number{value: float64(at)} }, h)
		r.local = true
		p.compute(r, func(_ *world, a []*nd.Array) *nd.Array { return a[0].ArgMax(axes...) }, "argmax over %v of ", axes)
	} else if !ties || len(h.tapes) == 0 {
		p.compute(r, func(_ *world, a []*nd.Array) *nd.Array { return a[0].Max(axes...) }, "max over %v of ", axes)
	}
}

// pairs are the element-wise operators of two operands.
var pairs = []struct {
	name  string
	saves bool
	model func(a, b number) number
	call  func(a, b *nd.Array) *nd.Array
	into  func(dst, a, b *nd.Array)
}{
	{"add", false, func(a, b number) number { return a.plus(1, b) }, (*nd.Array).Add, nd.AddInto},
	{"sub", false, func(a, b number) number { return a.plus(-1, b) }, (*nd.Array).Sub, nd.SubInto},
	{"mul", true, number.times, (*nd.Array).Mul, nd.MulInto},
	{"maximum", true, larger, (*nd.Array).Maximum, nd.MaximumInto},
	{"where", false, larger, func(a, b *nd.Array) *nd.Array { return nd.Where(a.Greater(b), a, b) }, nil},
}

func larger(a, b number) number {
	switch {
	case a.value > b.value:
		return a
	case a.value < b.value:
		return b
	}
	half := number{}.plus(0.5, a)
	return half.plus(0.5, b)
}

// pair returns the result of a pair of operands.
func pair(which int, a, b *handle) result {
	shape, _ := broadcast(a.shape, b.shape)
	if shape == nil {
		shape = []int{}
	}
	r := elementWise(pairs[which].name, shape, a.memory.integer && b.memory.integer, func(index []int) number {
		x, y := a.element(flatOf(a.shape, index)), b.element(flatOf(b.shape, index))
		if pairs[which].name == "where" && x.value == y.value {
			return y
		}
		return pairs[which].model(x, y)
	}, a, b)
	for _, operand := range r.operands {
		if pairs[which].saves && operand.memory.integer == r.integer {
			r.saves = append(r.saves, operand.memory)
		}
	}
	return r
}

// binary plans an operator of two operands.
func binary(p *planner) {
	a := p.choose(anything)
	if a == nil {
		return
	}
	b := p.choose(func(b *handle) bool {
		shape, ok := broadcast(a.shape, b.shape)
		return ok && countOf(shape) <= 36
	})
	which := p.IntN(len(pairs))
	p.compute(pair(which, a, b), func(_ *world, o []*nd.Array) *nd.Array { return pairs[which].call(o[0], o[1]) }, "%s", pairs[which].name)
}

// matmul plans a product of matrices.
func matmul(p *planner) {
	a := p.choose(func(a *handle) bool { return len(a.shape) == 2 })
	if a == nil {
		return
	}
	b := p.choose(func(b *handle) bool { return len(b.shape) == 2 && b.shape[0] == a.shape[1] })
	if b == nil {
		return
	}
	r := elementWise("matmul", []int{a.shape[0], b.shape[1]}, a.memory.integer && b.memory.integer, func(index []int) (sum number) {
		for k := range a.shape[1] {
			sum = sum.plus(1, a.element(flatOf(a.shape, []int{index[0], k})).times(b.element(flatOf(b.shape, []int{k, index[1]}))))
		}
		return sum
	}, a, b)
	for _, operand := range r.operands {
		if operand.memory.integer == r.integer {
			r.saves = append(r.saves, operand.memory)
		}
	}
	p.compute(r, func(_ *world, o []*nd.Array) *nd.Array { return o[0].MatMul(o[1]) }, "matmul")
}

// taking returns the result of take along axis 0.
func taking(x, indices *handle) result {
	r := result{operator: "take", integer: x.memory.integer, shape: slices.Concat(indices.shape, x.shape[1:]), operands: []*handle{x, indices}}
	for _, v := range indices.values() {
		i := int(v)
		if i < 0 {
			i += x.shape[0]
		}
		if i < 0 || i >= x.shape[0] {
			r.fails = true
			i = 0
		}
		each(x.shape[1:], func(_ int, rest []int) {
			r.elements = append(r.elements, x.element(flatOf(x.shape, append([]int{i}, rest...))))
		})
	}
	r.saves = []*memory{indices.memory}
	return r
}

func (p *planner) taken() (x, indices *handle) {
	x = p.choose(func(x *handle) bool { return len(x.shape) > 0 && len(x.offsets) > 0 })
	indices = p.choose(func(i *handle) bool { return i.memory.integer && len(i.offsets) <= 6 })
	return x, indices
}

// take plans a call whose indices may be out of range.
func take(p *planner) {
	if x, indices := p.taken(); x != nil && indices != nil {
		p.compute(taking(x, indices), func(_ *world, o []*nd.Array) *nd.Array { return o[0].Take(o[1], 0) }, "take")
	}
}

func takeInto(p *planner) {
	x, indices := p.taken()
	if x == nil || indices == nil {
		return
	}
	r := taking(x, indices)
	dst := p.choose(func(h *handle) bool {
		return writable(h) && h.memory.integer == r.integer && slices.Equal(h.shape, r.shape)
	})
	if dst != nil {
		p.store(dst, r, func(_ *world, dst *nd.Array, o []*nd.Array) {
			ops.InvokeInto(ops.Take, ops.TakeParams{Mode: "raise"}, []*ops.Tensor{(*ops.Tensor)(dst)}, (*ops.Tensor)(o[0]), (*ops.Tensor)(o[1]))
		}, "takeInto")
	}
}

// concat plans two arrays one behind the other along axis 0.
func concat(p *planner) {
	a := p.choose(func(a *handle) bool { return len(a.shape) > 0 })
	if a == nil {
		return
	}
	b := p.choose(func(b *handle) bool { return len(b.shape) == len(a.shape) && slices.Equal(b.shape[1:], a.shape[1:]) })
	shape := append([]int{a.shape[0] + b.shape[0]}, a.shape[1:]...)
	r := result{operator: "concat", integer: a.memory.integer && b.memory.integer, shape: shape, operands: []*handle{a, b}}
	for _, part := range r.operands {
		for i := range part.offsets {
			r.elements = append(r.elements, part.element(i))
		}
	}
	p.compute(r, func(_ *world, o []*nd.Array) *nd.Array { return nd.Concat(0, o...) }, "concat")
}
