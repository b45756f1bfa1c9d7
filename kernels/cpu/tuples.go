package cpu

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// tuples are indices of axes of an array that follow one another: one for each axis, they name a slice of it together.
type tuples struct {
	count int
	axes  []axisIndices
	nests []*nest // over the indices of each axis
	first int     // the axis of the array that the first of axes is
}

// blockOfTuples is for how many tuples an axis is looked at before the next one is, while what was found is in the nearest cache.
const blockOfTuples = 512

// newTuples returns count tuples of the given indices, views of one shape, of the axes of the array from first on.
func newTuples(array device.View, first int, mode int64, count int, indices ...device.View) *tuples {
	x := &tuples{count: count, first: first, axes: make([]axisIndices, len(indices)), nests: make([]*nest, len(indices))}
	for i, view := range indices {
		axis := first + i
		x.axes[i] = axisIndices{view, array.Shape[axis], mode, array.Strides[axis] * array.DType.Size(), i > 0}
		x.nests[i] = newOrderedNest(view)
	}
	return x
}

// numbers are x, but with the numbers of the slices in row-major order for the bytes to them.
func (x *tuples) numbers() *tuples {
	counting := *x
	counting.axes = append([]axisIndices(nil), x.axes...)
	scale := 1
	for i := len(counting.axes) - 1; i >= 0; i-- {
		counting.axes[i].scale = scale
		scale *= counting.axes[i].length
	}
	return &counting
}

// offsets writes the bytes from the start of the array to the slices to found. It fails where an index is out of range: of those of the
// first axis that has such, the first.
func (x *tuples) offsets(t *parallel.Thread, found []int) *outOfRange {
	return x.visit(t, found, 0, nil, nil)
}

// visit is offsets that calls body, which takes cost nanoseconds a tuple, with parts of the offsets while they are in the nearest cache,
// and the number of their first tuple. It need not keep them: then found holds nothing of use. Where an index is out of range, body may
// have been called for others. AtOnce, which may be nil, and is where body is, may do the tuples [lo, hi) without their offsets: where it
// reports that it has, body is not called for them, otherwise body does all of them, whatever was done before.
func (x *tuples) visit(t *parallel.Thread, found []int, cost float64, atOnce func(lo, hi int) bool, body func(offsets []int, lo int)) *outOfRange {
	var worst atomic.Int64
	worst.Store(math.MaxInt64)
	t.ForCost(x.count, cost+float64(len(x.axes)), func(_ *parallel.Thread, lo, hi int) {
		room := found[lo:hi]
		for lo < hi {
			end := min(lo+blockOfTuples, hi)
			if atOnce != nil && atOnce(lo, end) {
				lo = end
				continue
			}
			offsets := room[:end-lo]
			if bad := int64(x.resolve(offsets, lo, end)); bad < math.MaxInt64 {
				for known := worst.Load(); bad < known && !worst.CompareAndSwap(known, bad); known = worst.Load() {
				}
				return
			}
			if body == nil {
				room = room[end-lo:]
			} else {
				body(offsets, lo)
			}
			lo = end
		}
	})
	if worst.Load() == math.MaxInt64 {
		return nil
	}
	return x.wrong(int(worst.Load()))
}

// resolve writes the offsets of the tuples [lo, hi) to found. It returns the place among all indices, one axis after another, of the
// first that is out of range; math.MaxInt64 if none is.
func (x *tuples) resolve(found []int, lo, hi int) (bad int) {
	if len(x.axes) == 0 {
		clear(found)
	}
	for i, axis := range x.axes {
		if bad := resolvers[axis.view.DType](x.nests[i], found, lo, hi, axis); bad < math.MaxInt {
			return i*x.count + bad
		}
	}
	return math.MaxInt
}

// wrong returns the error for the index at a place among all.
func (x *tuples) wrong(place int) *outOfRange {
	i := place / x.count
	var c cursor
	c.seek(x.nests[i], place%x.count)
	axis := x.axes[i]
	return &outOfRange{integerText(axis.view.DType, c.pointer(0)), fmt.Sprintf("axis %d with %d elements", x.first+i, axis.length)}
}

// outOfRange is the error of an index that is not of the place where it is for.
type outOfRange struct{ index, place string }

func (e *outOfRange) Error() string { return "index " + e.index + " is out of range for " + e.place }

func (e *outOfRange) Unwrap() error { return fault.ErrIndex }
