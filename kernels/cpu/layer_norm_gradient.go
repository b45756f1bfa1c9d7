package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// bundle is how many rows are added one after the other, in the element type, for the gradients of scale and bias. Bundles are added as
// reductions do.
const bundle = 64

func bundlesOf(rows int) int { return (rows + bundle - 1) / bundle }

// LayerNormScratch returns the bytes of temporary memory that the gradient of layer_norm or rms_norm takes for so many rows.
func LayerNormScratch(rows, length int) int { return demand(bundlesOf(rows) * 2 * length * 8) }

// layerNormGradient computes the gradients of layerNorm's operands, Outputs, from x Inputs[0], scale Inputs[1] and the
// upstream gradient Inputs[2]. With g = upstream · scale and x̂ what is scaled, that of x is (g − mean g − x̂ mean(g x̂)) /
// √(variance + epsilon).
func layerNormGradient[T dtype.Float](centred bool) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		axes, epsilon, scale := int(a.Integers[0]), a.Scalars[0], contiguous[T](a.Inputs[1])
		split := len(a.Inputs[0].Shape) - axes
		rows, length := part(a.Inputs[0], 0, split).Count(), len(scale)
		if length == 0 {
			return nil
		}
		bundles := bundlesOf(rows)
		partial := temporary[T](a, bundles*2*length) // the sums of each bundle: for scale, then for bias
		dx := [maxOperands]device.View{a.Outputs[0], a.Inputs[0], a.Inputs[2]}
		t.ForCost(bundles, 3*simpleRow*float64(bundle*length), func(_ *parallel.Thread, lo, hi int) {
			clear(partial[lo*2*length : hi*2*length])
			lo, hi = lo*bundle, min(hi*bundle, rows)
			if layerNormSlopes(dx[:3], split, lo, hi, scale, partial, centred, epsilon) {
				return
			}
			forEachRow(dx[:1], dx[1:3], split, lo, hi, func(w *rowWork[T], row int, rows *[maxOperands][]T) {
				at := row / bundle * 2 * length
				layerNormSlope(w, rows, scale, &partial[at], &partial[at+length], centred, epsilon)
			})
		})
		sums := make([]T, len(a.Outputs[1:])*length)
		view := func(of []T, shape, strides []int) []device.View {
			start := device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(of))}
			return []device.View{{Pointer: start, DType: dtype.Of[T](), Shape: shape, Strides: strides}}
		}
		err := reducer[T, T]{fold: additionOf[T]().fold(), store: storing(same[T])}.kernel(t, &device.Arguments{
			Outputs: view(sums, []int{len(sums)}, []int{1}), Inputs: view(partial, []int{len(sums), bundles}, []int{1, 2 * length}), Integers: []int64{1},
		})
		for i, out := range a.Outputs[1:] {
			assignAll(out, sums[i*length:(i+1)*length])
		}
		return err
	}}
}

// layerNormSlope computes one row of layerNormGradient, and adds its parts of the gradients of scale and bias to those.
func layerNormSlope[T dtype.Float](w *rowWork[T], rows *[maxOperands][]T, scale []T, scaleSlope, biasSlope *T, centred bool, epsilon float64) {
	dst, x, u := &rows[0][0], &rows[1][0], &rows[2][0]
	m, mean := w.momentAndSlopes(rows[1], u, scale, centred)
	w.slopeBy(m, mean, centred, epsilon)
	w.scaledSlope(dst, x, u, &scale[0], scaleSlope, biasSlope, len(scale), &w.p)
}

// slopeBy sets the parameters of scaledSlope.
func (w *rowWork[T]) slopeBy(m rowMoment, mean slope, centred bool, epsilon float64) {
	inverse := m.inverse(epsilon)
	w.centre(m.mean)
	w.p[2] = T(inverse)
	w.p[3] = T(-inverse * inverse * inverse * mean.products / m.count)
	if w.p[4] = 0; centred {
		w.p[4] = T(-inverse * mean.sum / m.count)
	}
}

// momentAndSlopes returns the moment of a row, and slopes of the upstream gradient u times scale.
func (w *rowWork[T]) momentAndSlopes(x []T, u *T, scale []T, centred bool) (rowMoment, slope) {
	if w.jointScaledProducts == nil {
		m := w.moment(x, centred)
		return m, w.slopes(m.mean, func(shift float64) { w.scaledProducts(&x[0], u, &scale[0], len(x), shift, &w.sums) })
	}
	w.jointScaledProducts(&x[0], u, &scale[0], len(x), &w.sums, &w.more)
	return w.jointTotals(x, centred)
}

// jointTotals is momentAndSlopes from what a joint loop has added to sums and more, which it clears.
func (w *rowWork[T]) jointTotals(x []T, centred bool) (rowMoment, slope) {
	m := w.momentBy(x, centred, func(float64) {})
	var s slope
	s.sum, s.products = w.totals(&w.more)
	s.products -= float64(m.mean * s.sum) // not fused, here and below
	return m, s
}

// layerNormSlopes is layerNormSlope for the rows [lo, hi), one row while the next is measured, so that its memory is read meanwhile. It
// reports false, and does nothing, where there is no loop for that, or rows are not equally far apart.
func layerNormSlopes[T dtype.Float](views []device.View, split, lo, hi int, scale, partial []T, centred bool, epsilon float64) bool {
	w := newRowWork[T]()
	defer w.release()
	var starts [3]unsafe.Pointer
	stride, found := evenRows(views, split, starts[:])
	if w.scaledSlopeAhead == nil || !found {
		return false
	}
	length := len(scale)
	at := func(operand, row int) *T { return (*T)(unsafe.Add(starts[operand], row*stride)) }
	if lo < hi {
		w.jointScaledProducts(at(1, lo), at(2, lo), &scale[0], length, &w.sums, &w.more)
	}
	for row := lo; row < hi; row++ {
		m, mean := w.jointTotals(rowOf(at(1, row), length), centred)
		w.slopeBy(m, mean, centred, epsilon)
		sums := partial[row/bundle*2*length:]
		if row == hi-1 {
			w.scaledSlope(at(0, row), at(1, row), at(2, row), &scale[0], &sums[0], &sums[length], length, &w.p)
			break
		}
		w.scaledSlopeAhead(at(0, row), at(1, row), at(2, row), &scale[0], &sums[0], &sums[length], stride, length, &w.p, &w.sums, &w.more)
	}
	return true
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
