package cpu

import (
	"math"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// maxPool computes the maxima Outputs[0] and their positions in the planes, Outputs[1], of the windows over Inputs[0]; see
// newWindow. Of equal ones the first counts, and the first NaN counts most. A window over nothing has −Inf, at −1.
func maxPool[T dtype.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		w := newWindow(a.Inputs[0], a.Outputs[0], a.Integers)
		if w.planes*w.outElement == 0 {
			return nil
		}
		data, result, places := newPlanes[T](a.Inputs[0]), newPlanes[T](a.Outputs[0]), newPlanes[int32](a.Outputs[1])
		t.ForCost(w.planes, w.cost(light), func(_ *parallel.Thread, lo, hi int) {
			x, y, index := data, result, places
			for plane := lo; plane < hi; plane++ {
				from, best, positions := x.read(plane), y.write(plane), index.write(plane)
				if !maxPairs(&w, best, positions, from, 0, false) {
					w.rows(func(row, depth, height int) {
						at, end := row*w.out[2], (row+1)*w.out[2]
						maxRow(&w, best[at:end], positions[at:end], from, depth, height)
					})
				}
				y.done()
				index.done()
			}
		})
		return nil
	}}
}

var _ = registerFloats("max_pool", maxPool[float32](), maxPool[float64]())

// maxRow computes one row of results, place by place of the window.
func maxRow[T dtype.Float](w *window, best []T, index []int32, x []T, depth, height int) {
	if !w.covers(depth, height) || w.outreaches() {
		fillWith(best, T(math.Inf(-1)))
		fillWith(index, -1)
	}
	if w.outreaches() {
		w.inputRows(depth, height, func(position int) {
			w.eachPlace(position, func(lo, hi, at int) { maxPlace(best[lo:hi], index[lo:hi], x, 1, at, index[lo] < 0) })
		})
		return
	}
	begun := len(best) // results from here on have seen an element, if they have any
	w.inputRows(depth, height, func(position int) {
		for place := range w.kernel[2] {
			lo, hi := w.results(2, place)
			if lo >= hi {
				continue
			}
			at := position - w.before[2] + place*w.dilation[2]
			fresh := max(lo, min(begun, hi))
			maxPlace(best[lo:fresh], index[lo:fresh], x, w.stride[2], at+lo*w.stride[2], true)
			maxPlace(best[fresh:hi], index[fresh:hi], x, w.stride[2], at+fresh*w.stride[2], false)
			begun = min(begun, lo)
		}
	})
}

// covers reports whether all windows of a row of results are over some element.
func (w *window) covers(depth, height int) bool {
	some := true
	for axis, at := range [2]int{depth, height} {
		lo, hi := w.places(axis, at)
		some = some && lo < hi
	}
	_, hi := w.results(2, 0)
	return some && w.before[2] == 0 && hi == w.out[2]
}

func fillWith[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// maxPlace takes the elements of x, stride apart, from number at on, where they are greater than best, or the first NaN, or
// the first of all.
func maxPlace[T dtype.Float](best []T, index []int32, x []T, stride, at int, first bool) {
	done := 0
	if single, ok := any(best).([]float32); ok && len(best) > 0 {
		done = maxPlaceAssembled(single, index, any(x).([]float32)[at:], stride, int32(at), first)
	}
	for i := done; i < len(best); i++ {
		position := at + i*stride
		if v := x[position]; first || !(v <= best[i]) && best[i] == best[i] {
			best[i], index[i] = v, int32(position)
		}
	}
}

// poolLoops are loops for one level, by stride.
type poolLoops struct {
	first, next [3]func(best *float32, index *int32, x *float32, count int, position int32)
	pairs       func(best *float32, index *int32, x *float32, count, columns, rows int, position, width, rectified int32)
	spread      func(dst, u *float32, index *int32, count int, position, width int32) (missed uint32)
}

// poolAssembly is the assembly by levels; nothing changes once the package is initialised.
var poolAssembly [levelAVX512 + 1]poolLoops

// assembledCount returns how many of count elements assembly takes, in vectors of eight if not any number.
func assembledCount(count int) int {
	switch features.Best {
	case levelAVX512:
		return count
	case levelAVX2:
		return count &^ 7
	}
	return 0
}

// maxPlaceAssembled is maxPlace for as many elements as it returns.
func maxPlaceAssembled(best []float32, index []int32, x []float32, stride int, position int32, first bool) int {
	count := assembledCount(len(best))
	if stride > 2 || count == 0 {
		return 0
	}
	loops := &poolAssembly[features.Best]
	if first {
		loops.first[stride](&best[0], &index[0], &x[0], count, position)
	} else {
		loops.next[stride](&best[0], &index[0], &x[0], count, position)
	}
	return count
}

// positionError tells of an index that is in no plane.
func positionError(index int32, count int) error {
	return dataErrorf(fault.ErrIndex, "index %d is out of range for a plane of %d elements", index, count)
}

// maxPoolGradient adds the upstream gradients Inputs[0] to the elements of Outputs[0] whose positions in the planes are
// Inputs[1], in order; those at −1 go nowhere.
func maxPoolGradient[T dtype.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		dx, u := a.Outputs[0], a.Inputs[0]
		count := product(dx.Shape[:2])
		var failure firstFailure
		cost := light*float64(product(dx.Shape[2:])) + float64(product(u.Shape[2:]))
		gradient, upstream, places := newPlanes[T](dx), newPlanes[T](u), newPlanes[int32](a.Inputs[1])
		gradient.pastCaches(dx, besidePooled(a.Inputs)...)
		t.ForCost(count, cost, func(_ *parallel.Thread, lo, hi int) {
			to, from, index := gradient, upstream, places
			for plane := lo; plane < hi; plane++ {
				dst, up, positions := to.write(plane), from.read(plane), index.read(plane)
				if !spreadPairs(dst, up, positions, dx.Shape[2:], u.Shape[2:]) {
					failure.note(plane, spreadEach(dst, up, positions))
				}
				to.done()
			}
			to.finish()
		})
		return failure.err
	}}
}

// besidePooled returns which inputs count where the last cache is to hold them beside the gradient of maxima: all where
// vectors of a whole line are stored at once, since those of a row would be over two lines each. Zen 4 stores them in
// halves.
func besidePooled(inputs []device.View) []device.View {
	if features.Best < features.AVX512 || features.Zen4 {
		return nil
	}
	return inputs
}

// firstFailure is the error of the first plane that has one. It may be told of errors from any goroutine.
type firstFailure struct {
	mutex sync.Mutex
	plane int
	err   error
}

func (f *firstFailure) note(plane int, err error) {
	if err == nil {
		return
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.err == nil || plane < f.plane {
		f.plane, f.err = plane, err
	}
}

var _ = registerFloats("max_pool_gradient", maxPoolGradient[float32](), maxPoolGradient[float64]())

func spreadEach[T dtype.Float](dst, u []T, index []int32) error {
	clear(dst)
	for i, at := range index {
		switch {
		case uint(at) < uint(len(dst)):
			dst[at] += u[i]
		case at != -1:
			return positionError(at, len(dst))
		}
	}
	return nil
}

// maxPoolSelect computes the elements of Inputs[0] at the positions Inputs[1] in the planes; zero at −1.
func maxPoolSelect[T dtype.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		count := product(a.Outputs[0].Shape[:2])
		var failure firstFailure
		result, data, places := newPlanes[T](a.Outputs[0]), newPlanes[T](a.Inputs[0]), newPlanes[int32](a.Inputs[1])
		t.ForCost(count, float64(product(a.Outputs[0].Shape[2:])), func(_ *parallel.Thread, lo, hi int) {
			y, x, index := result, data, places
			for plane := lo; plane < hi; plane++ {
				dst, from := y.write(plane), x.read(plane)
				for i, at := range index.read(plane) {
					switch {
					case uint(at) < uint(len(from)):
						dst[i] = from[at]
					case at == -1:
						dst[i] = 0
					default:
						failure.note(plane, positionError(at, len(from)))
					}
				}
				y.done()
			}
		})
		return failure.err
	}}
}

var _ = registerFloats("max_pool_select", maxPoolSelect[float32](), maxPoolSelect[float64]())
