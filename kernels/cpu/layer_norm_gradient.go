package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// LayerNormScratch returns the bytes of temporary memory that the gradient of layer_norm or rms_norm takes for so many rows.
func LayerNormScratch(rows, length int) int {
	return demand(bundlesOf(rows) * bundleRoom(2*length) * 8)
}

// layerNormGradient computes the gradients of layerNorm's operands, Outputs, from x Inputs[0], scale Inputs[1] and the
// upstream gradient Inputs[2]. With g = upstream · scale and x̂ what is scaled, that of x is (g − mean g − x̂ mean(g x̂)) /
// √(variance + epsilon).
func layerNormGradient[T dtype.Float](centred bool) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		scale, split := contiguous[T](a.Inputs[1]), len(a.Inputs[0].Shape)-int(a.Integers[0])
		rows, length := part(a.Inputs[0], 0, split).Count(), len(scale)
		switch {
		case length == 0:
			return nil
		case rows == 0:
			for _, out := range a.Outputs[1:] {
				assignAll(out, make([]T, length))
			}
			return nil
		}
		count := bundlesOf(rows)
		sums := newBundles(temporary[T](a, count*bundleRoom(2*length)), count, 2*length) // for scale, then for bias
		s := layerNormSlopes[T]{views: [3]device.View{a.Outputs[0], a.Inputs[0], a.Inputs[2]}, split: split, scale: scale, centred: centred, epsilon: a.Scalars[0]}
		s.stride, s.even = evenRows(s.views[:], split, s.starts[:])
		t.ForCost(count, 3*simpleRow*float64(bundle*length), func(_ *parallel.Thread, lo, hi int) {
			for i := lo; i < hi; i++ {
				clear(sums.at(i))
				s.add(sums.at(i), i*bundle, min((i+1)*bundle, rows))
				sums.finish(lo, i)
			}
		})
		total := sums.total()
		for i, out := range a.Outputs[1:] {
			assignAll(out, total[i*length:(i+1)*length])
		}
		return nil
	}}
}

// layerNormSlopes are the operands of layerNormGradient.
type layerNormSlopes[T dtype.Float] struct {
	views   [3]device.View // the gradient of x, x, and the upstream gradient
	split   int            // how many of their axes are not those of a row
	scale   []T
	centred bool
	epsilon float64
	even    bool              // whether rows are plain, and stride bytes apart
	starts  [3]unsafe.Pointer // the first rows, if they are even
	stride  int
}

// add computes the rows [lo, hi), and adds their parts of the gradients of scale and bias to sums.
func (s *layerNormSlopes[T]) add(sums []T, lo, hi int) {
	length := len(s.scale)
	scaleSlope, biasSlope := &sums[0], &sums[length]
	if s.even {
		s.addPairs(scaleSlope, biasSlope, lo, hi)
		return
	}
	forEachRow(s.views[:1], s.views[1:], s.split, lo, hi, func(w *rowWork[T], row int, rows *[maxOperands][]T) {
		dst, x, u := &rows[0][0], rows[1], &rows[2][0]
		w.slopeBy(&w.pair[0], s, x, u)
		w.scaledSlope(dst, &x[0], u, &s.scale[0], scaleSlope, biasSlope, length, &w.pair[0])
	})
}

// addPairs is add for even rows, by twos, whose parts are added together where there is a loop for that: more rows
// would not stay in the fastest cache until they are read again.
func (s *layerNormSlopes[T]) addPairs(scaleSlope, biasSlope *T, lo, hi int) {
	w := newRowWork[T]()
	defer w.release()
	at := func(operand, row int) *T { return (*T)(unsafe.Add(s.starts[operand], row*s.stride)) }
	length := len(s.scale)
	for row := lo; row < hi; row += 2 {
		count := min(hi-row, 2)
		for i := range count {
			w.slopeBy(&w.pair[i], s, rowOf(at(1, row+i), length), at(2, row+i))
		}
		if count == 2 && w.scaledSlopes != nil {
			w.scaledSlopes(at(0, row), at(1, row), at(2, row), &s.scale[0], scaleSlope, biasSlope, s.stride, length, &w.pair)
			continue
		}
		for i := range count {
			w.scaledSlope(at(0, row+i), at(1, row+i), at(2, row+i), &s.scale[0], scaleSlope, biasSlope, length, &w.pair[i])
		}
	}
}

// slopeBy sets the parameters p of scaledSlope for a row x and its upstream gradient u.
func (w *rowWork[T]) slopeBy(p *[6]T, s *layerNormSlopes[T], x []T, u *T) {
	m, mean := w.roundedSlopes(x, u, s.scale, s.centred)
	share := 1 / m.count
	variance := float64(m.squares*share) + s.epsilon
	inverse := 1 / math.Sqrt(variance)
	centre(p, m.mean)
	p[2] = T(inverse)
	p[3] = T(-inverse * (mean.products * share / variance))
	if p[4] = 0; s.centred {
		p[4] = T(-inverse * (mean.sum * share))
	}
}

// roundedSlopes returns the moment of a row, as roundedMoment does, and the slopes of the upstream gradient u times
// scale likewise, unless their products may have lost digits, or are out of range.
func (w *rowWork[T]) roundedSlopes(x []T, u *T, scale []T, centred bool) (rowMoment, slope) {
	n, origin := float64(len(x)), T(0)
	if centred {
		origin = x[0]
	}
	var sum, squares float64
	var s slope
	if w.jointFrom != nil {
		sum, s.sum, squares, s.products = w.jointFrom(&x[0], u, &scale[0], len(x), origin)
	} else {
		sum, squares = w.momentsFrom(&x[0], len(x), origin)
		s.sum, s.products = w.slopesFrom(&x[0], u, &scale[0], len(x), origin)
	}
	if !centred {
		sum = 0
	}
	m, away, precise := momentFrom(n, float64(origin), sum, squares)
	s.products -= float64(away * s.sum) // not fused, here and below
	if size := math.Abs(s.products); precise && size >= n*smallSquare && size <= math.MaxFloat64 {
		return m, s
	}
	m = w.moment(x, centred)
	return m, w.slopes(m.mean, func(shift float64) { w.scaledProducts(&x[0], u, &scale[0], len(x), shift, &w.sums) })
}

// slope is the sum of upstream gradients, and of their products with the distance of x from its mean.
type slope struct{ sum, products float64 }

// slopes returns what add gives to sums.
func (w *rowWork[T]) slopes(mean float64, add func(shift float64)) slope {
	add(mean)
	var s slope
	s.sum, s.products = w.totals(&w.sums)
	if rowLanes[T]() == 16 { // was not shifted
		s.products -= float64(mean * s.sum)
	}
	return s
}

var (
	_ = registerFloats("layer_norm_gradient", layerNormGradient[float32](true), layerNormGradient[float64](true))
	_ = registerFloats("rms_norm_gradient", layerNormGradient[float32](false), layerNormGradient[float64](false))
)
