package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// divisors returns what sums along an axis are divided by: the places of each window that count, at least one.
func (w *window) divisors(axis int) []float64 {
	all := make([]float64, w.out[axis])
	for out := range all {
		lo, hi := w.places(axis, out)
		if w.countPadding {
			padded := *w
			padded.in[axis] += w.after[axis]
			lo = 0
			_, hi = padded.places(axis, out)
		}
		all[out] = float64(max(1, hi-lo))
	}
	return all
}

// windowMeans is a pooling that takes means.
type windowMeans struct {
	window
	depths, heights, widths []float64 // whose products windows are divided by
}

func newWindowMeans(w window) *windowMeans {
	return &windowMeans{w, w.divisors(0), w.divisors(1), w.divisors(2)}
}

// averagePool computes the means Outputs[0] of the windows over Inputs[0], summed in float64, row by row; see newWindow. A
// window over nothing has zero.
func averagePool[T dtype.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		w := newWindow(a.Inputs[0], a.Outputs[0], a.Integers)
		if w.planes*w.outElement == 0 {
			return nil
		}
		means, data, result := newWindowMeans(w), newPlanes[T](a.Inputs[0]), newPlanes[T](a.Outputs[0])
		t.ForCost(w.planes, w.cost(1), func(_ *parallel.Thread, lo, hi int) {
			x, y, sums := data, result, make([]float64, w.out[2])
			for plane := lo; plane < hi; plane++ {
				from, to := x.read(plane), y.write(plane)
				averagePlane(means, to, from, sums)
				y.done()
			}
		})
		return nil
	}}
}

// averagePlane computes the means of the windows over one plane. Sums has room for a row of them.
func averagePlane[T dtype.Float](w *windowMeans, to, from []T, sums []float64) {
	w.rows(func(row, depth, height int) {
		clear(sums)
		w.inputRows(depth, height, func(position int) {
			w.eachPlace(position, func(lo, hi, at int) {
				for i := lo; i < hi; i++ {
					sums[i] += float64(from[at])
					at += w.stride[2]
				}
			})
		})
		for i, sum := range sums {
			to[row*w.out[2]+i] = T(sum / (w.depths[depth] * w.heights[height] * w.widths[i]))
		}
	})
}

// eachPlace calls body for each place along the last axis with the results [lo, hi) that it belongs to, and the position of
// the element of the first.
func (w *window) eachPlace(position int, body func(lo, hi, at int)) {
	if w.outreaches() {
		for out := range w.out[2] {
			lo, hi := w.places(2, out)
			for place := lo; place < hi; place++ {
				body(out, out+1, position-w.before[2]+place*w.dilation[2]+out*w.stride[2])
			}
		}
		return
	}
	for place := range w.kernel[2] {
		if lo, hi := w.results(2, place); lo < hi {
			body(lo, hi, position-w.before[2]+place*w.dilation[2]+lo*w.stride[2])
		}
	}
}

var _ = registerFloats("average_pool", averagePool[float32](), averagePool[float64]())

// averagePoolGradient spreads the upstream gradient Inputs[0] evenly over the windows of Outputs[0]; sums are made in float64.
func averagePoolGradient[T dtype.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		w := newWindow(a.Outputs[0], a.Inputs[0], a.Integers)
		if w.planes*w.inElements == 0 {
			return nil
		}
		means, result, upstream := newWindowMeans(w), newPlanes[T](a.Outputs[0]), newPlanes[T](a.Inputs[0])
		t.ForCost(w.planes, w.cost(1), func(_ *parallel.Thread, lo, hi int) {
			dx, u := result, upstream
			sums, parts := make([]float64, w.inElements), make([]float64, w.out[2])
			for plane := lo; plane < hi; plane++ {
				from, to := u.read(plane), dx.write(plane)
				spreadPlane(means, sums, from, parts)
				for i, sum := range sums {
					to[i] = T(sum)
				}
				dx.done()
			}
		})
		return nil
	}}
}

// spreadPlane computes the gradient of one plane from that of the means of its windows. Parts has room for a row of these.
func spreadPlane[T dtype.Float](w *windowMeans, sums []float64, from []T, parts []float64) {
	clear(sums)
	w.rows(func(row, depth, height int) {
		for i := range parts {
			parts[i] = float64(from[row*w.out[2]+i]) / (w.depths[depth] * w.heights[height] * w.widths[i])
		}
		w.inputRows(depth, height, func(position int) {
			w.eachPlace(position, func(lo, hi, at int) {
				for i := lo; i < hi; i++ {
					sums[at] += parts[i]
					at += w.stride[2]
				}
			})
		})
	})
}

var _ = registerFloats("average_pool_gradient", averagePoolGradient[float32](), averagePoolGradient[float64]())
