package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
)

// window is how a pooling moves over the last three axes of an array.
type window struct {
	in, out                        [3]int
	kernel, stride, dilation       [3]int
	before, after                  [3]int // padding
	countPadding                   bool
	planes, inElements, outElement int
}

// newWindow reads Integers: kernel, strides, dilations, the padding before and behind, of three axes each, and whether
// averages count padding. The arrays have two more axes in front.
func newWindow(in, out device.View, integers []int64) window {
	var w window
	for i, p := range []*[3]int{&w.kernel, &w.stride, &w.dilation, &w.before, &w.after} {
		for axis := range p {
			p[axis] = int(integers[3*i+axis])
		}
	}
	copy(w.in[:], in.Shape[2:])
	copy(w.out[:], out.Shape[2:])
	w.countPadding = integers[15] != 0
	w.planes, w.inElements, w.outElement = product(in.Shape[:2]), product(w.in[:]), product(w.out[:])
	return w
}

// cost is the nanoseconds of one plane where a place of the window costs that many.
func (w *window) cost(nanoseconds float64) float64 {
	cost := nanoseconds * float64(w.outElement)
	for axis, places := range w.kernel {
		cost *= float64(min(places, w.in[axis]))
	}
	return cost + float64(w.inElements)*light
}

// outreaches reports whether a window has more places along the last axis than there are elements. Results of such windows are
// computed one by one, because most places are over nothing.
func (w *window) outreaches() bool { return w.kernel[2] > w.in[2] }

// places returns the places [lo, hi) of the window at out that are inside along an axis.
func (w *window) places(axis, out int) (lo, hi int) {
	start, d := out*w.stride[axis]-w.before[axis], w.dilation[axis]
	return max(0, (d-1-start)/d), max(0, min(w.kernel[axis], (w.in[axis]-start+d-1)/d))
}

// results returns the results [lo, hi) whose place is inside along an axis.
func (w *window) results(axis, place int) (lo, hi int) {
	s, shift := w.stride[axis], w.before[axis]-place*w.dilation[axis] // the place is at out·s − shift
	return min(w.out[axis], max(0, (shift+s-1)/s)), min(w.out[axis], max(0, (w.in[axis]+shift+s-1)/s))
}

// rows calls body for each row of a plane of results with its number, and its places along the first two axes.
func (w *window) rows(body func(row, depth, height int)) {
	for depth := range w.out[0] {
		for height := range w.out[1] {
			body(depth*w.out[1]+height, depth, height)
		}
	}
}

// inputRows calls body for the rows of the plane that the window at a row of results is over, with the position of their
// first element.
func (w *window) inputRows(depth, height int, body func(position int)) {
	fromDepth, toDepth := w.places(0, depth)
	fromHeight, toHeight := w.places(1, height)
	for i := fromDepth; i < toDepth; i++ {
		z := depth*w.stride[0] - w.before[0] + i*w.dilation[0]
		for j := fromHeight; j < toHeight; j++ {
			y := height*w.stride[1] - w.before[1] + j*w.dilation[1]
			body((z*w.in[1] + y) * w.in[2])
		}
	}
}

// planes gives the parts of a view that belong to one index of its first two axes. A copy has memory of its own, for one goroutine.
type planes[T any] struct {
	stretches[T]
	outer *nest
	count int
	first unsafe.Pointer // of the plane that was asked for last
}

func newPlanes[T any](v device.View) planes[T] {
	count := product(v.Shape[2:])
	return planes[T]{stretches: newStretches[T](part(v, 2, len(v.Shape)), max(1, count)), outer: newOrderedNest(part(v, 0, 2)), count: count}
}

func (p *planes[T]) seek(i int) {
	if o := &p.outer.operands[0]; len(p.outer.shape) == 1 {
		p.first = unsafe.Add(o.pointer, i*o.strides[0])
		return
	}
	var c cursor
	c.seek(p.outer, i)
	p.first = c.pointer(0)
}

// read returns the elements of plane i, write memory for them, which done writes to where it belongs.

func (p *planes[T]) read(i int) []T {
	p.seek(i)
	return p.at(p.first, 0, p.count)
}

func (p *planes[T]) write(i int) []T {
	p.seek(i)
	return p.room(p.first, 0, p.count)
}

func (p *planes[T]) done() { p.put(p.first, 0, p.count) }
