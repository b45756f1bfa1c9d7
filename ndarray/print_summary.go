package ndarray

import (
	"math"

	"github.com/weft-nd/weft/ops"
)

// shownLimit is how many elements the edges of an array may have and be shown. Arrays of many axes have more; NumPy prints millions.
const shownLimit = 1 << 16

// axisEdges is what is shown of one axis.
type axisEdges struct {
	count int  // of elements shown
	cut   bool // the middle is left out: half of the elements are from either end
}

// summary returns the elements of a that are printed, and what they are of each axis; edges is nil where there are too many.
func (a *Array) summary(options PrintOptions) (shown *Array, edges []axisEdges) {
	a = a.reading()
	edges = make([]axisEdges, a.Rank())
	count := a.Count()
	if count <= options.Threshold {
		for axis, n := range a.tensor().Shape() {
			edges[axis].count = n
		}
		return a, edges
	}
	view := a.tensor().View()
	var shape, strides []int
	total := 1
	for axis, n := range view.Shape {
		e, stride := options.EdgeItems, view.Strides[axis]
		edges[axis] = axisEdges{count: n}
		if e <= math.MaxInt/2 && n > 2*e { // Both ends are one strided view, with an axis more.
			edges[axis] = axisEdges{count: 2 * e, cut: true}
			shape, strides = append(shape, 2), append(strides, (n-e)*stride)
			n = e
		}
		shape, strides = append(shape, n), append(strides, stride)
		if total *= edges[axis].count; total > max(shownLimit, options.Threshold) {
			return nil, nil
		}
	}
	view.Shape, view.Strides = shape, strides
	return (*Array)(ops.NewTensor(view, a.Env())), edges
}

// ends returns the first and the last elements of a, row-major, n of each.
func (a *Array) ends(n int) *Array {
	a = a.reading()
	shape, count := a.tensor().Shape(), a.Count()
	single := func(number int) *Array {
		offset, strides := 0, a.tensor().View().Strides
		for axis := len(shape) - 1; axis >= 0; axis-- {
			offset += number % shape[axis] * strides[axis]
			number /= shape[axis]
		}
		return a.elementAt(offset).Reshape(1)
	}
	var elements []*Array
	for i := range n {
		elements = append(elements, single(i))
	}
	for i := range n {
		elements = append(elements, single(count-n+i))
	}
	return Concat(0, elements...)
}
