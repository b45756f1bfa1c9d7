package weft_test

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// write plans an operator that writes to an array in place.
func write(p *planner) {
	dst := p.choose(writable)
	if dst == nil {
		return
	}
	which := p.IntN(len(pairs)) // the last stands for copy
	fits := func(h *handle) bool {
		return h.broadcastsTo(dst.shape) && (h.memory.integer || !dst.memory.integer)
	}
	a, b := p.choose(fits), p.choose(fits)
	if p.IntN(2) == 0 {
		a = dst
	}
	if pairs[which].into == nil {
		if b != nil && slices.Equal(b.shape, dst.shape) && b.memory.integer == dst.memory.integer {
			r := elementWise("copy", dst.shape, dst.memory.integer, func([]int) number { return number{} }, b).like(b)
			p.store(dst, r, func(_ *world, dst *nd.Array, o []*nd.Array) { nd.CopyInto(dst, o[0]) }, "copyInto")
		}
		return
	}
	if r := pair(which, a, b); slices.Equal(r.shape, dst.shape) && r.integer == dst.memory.integer {
		p.store(dst, r, func(_ *world, dst *nd.Array, o []*nd.Array) { pairs[which].into(dst, o[0], o[1]) }, "%sInto", pairs[which].name)
	}
}

// setSlice plans the write of an array, or of a number, to a part of another.
func setSlice(p *planner) {
	dst := p.choose(writable)
	if dst == nil {
		return
	}
	index, shape, from := p.index(dst.shape)
	part := dst.pick(shape, from)
	value := p.choose(func(h *handle) bool { return h.memory.integer == dst.memory.integer && h.broadcastsTo(shape) })
	if p.IntN(2) == 0 || value == nil {
		r := elementWise("copy", shape, dst.memory.integer, func([]int) number { return number{value: 2} })
		p.store(part, r, func(w *world, a *nd.Array, _ []*nd.Array) { a.SetSlice(nd.WeakIn(w.env, int64(2)), index...) }, "setSlice %v to 2", index)
		return
	}
	r := elementWise("copy", shape, dst.memory.integer, func(index []int) number { return value.element(flatOf(value.shape, index)) }, value)
	p.store(part, r, func(_ *world, a *nd.Array, o []*nd.Array) { a.SetSlice(o[0], index...) }, "setSlice %v", index)
}

// callback plans a visit of the elements of an array by a function of the user's.
func callback(p *planner) {
	h, fails := p.choose(writable), p.IntN(5) == 0
	if h == nil {
		return
	}
	sure, perhaps := p.protection(h.memory)
	run := func(w *world) { _ = w.write(w.arrays[h.id].Detach(), h.memory.integer, false) }
	switch text := fmt.Sprintf("write(%v)", h); {
	case !h.contiguous():
		p.mistake(run, fault.ErrMisuse, text)
	case sure:
		p.mistake(run, fault.ErrSaved, text)
	case perhaps:
	default:
		failed, exposed := h.failure(), h.memory.exposed
		if failed == unknown {
			h.memory.failed, h.memory.torn = unknown, nil
		}
		if failed == "" && fails {
			h.memory.failed = "access"
		} else if failed == "" {
			for i, offset := range h.offsets {
				h.memory.data[offset] = float64(i%3 - 1)
			}
		}
		p.emit(func(w *world) { w.visit(w.arrays[h.id].Detach(), h.memory.integer, fails, failed, exposed) }, "%s fails %v after %q", text, fails, failed)
	}
}
