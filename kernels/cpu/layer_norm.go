package cpu

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// rowMoment is the number of some elements, their mean, and the sum of the squares of their distances from it.
type rowMoment struct {
	count, mean, squares float64
}

// join returns the moment of the elements of a and b (Chan, Golub and LeVeque, "Algorithms for computing the sample
// variance", The American Statistician 37(3), 1983). Conversions keep products from being fused with sums, here and below.
func (a rowMoment) join(b rowMoment) rowMoment {
	switch {
	case a.count == 0:
		return b
	case b.count == 0:
		return a
	}
	count, distance := a.count+b.count, b.mean-a.mean
	return rowMoment{count, a.mean + float64(distance*(b.count/count)), a.squares + b.squares + float64(distance*distance*(a.count*b.count/count))}
}

// inverse returns 1/√(variance + epsilon).
func (a rowMoment) inverse(epsilon float64) float64 { return 1 / math.Sqrt(a.squares/a.count+epsilon) }

// momentOf returns the moment of elements that add gives to sums: once for float32, whose squares float64 holds exactly, and
// twice for float64, first shifted by the first of them and then by their mean.
func (w *rowWork[T]) momentOf(first T, count int, add func(shift float64)) rowMoment {
	n := float64(count)
	if rowLanes[T]() == 16 {
		add(0)
		sum, squares := w.total(0), w.total(1)
		return rowMoment{n, sum / n, atLeastZero(squares - float64(sum*(sum/n)))}
	}
	add(float64(first))
	mean := float64(first) + w.total(0)/n
	w.total(1)
	add(mean)
	rest, squares := w.total(0), w.total(1)
	return rowMoment{n, mean + rest/n, atLeastZero(squares - float64(rest*(rest/n)))}
}

// atLeastZero returns x, or zero for negative x; NaN stays NaN.
func atLeastZero(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x
}

// centre sets the parameters of loops that subtract mean.
func (w *rowWork[T]) centre(mean float64) {
	w.p[0] = T(mean)
	w.p[1] = T(mean - float64(w.p[0]))
}

// moment returns the moment of a row, about zero unless it is centred.
func (w *rowWork[T]) moment(x []T, centred bool) rowMoment {
	return w.momentBy(x, centred, func(shift float64) { w.shiftedMoments(&x[0], len(x), shift, &w.sums) })
}

// momentBy is moment of what add gives to sums.
func (w *rowWork[T]) momentBy(x []T, centred bool, add func(shift float64)) rowMoment {
	if centred {
		return w.momentOf(x[0], len(x), add)
	}
	add(0)
	w.total(0)
	return rowMoment{float64(len(x)), 0, w.total(1)}
}

// layerNorm normalises the rows that the last Integers[0] axes of Inputs[0] make, multiplies them by Inputs[1], of the shape
// of these axes, and adds Inputs[2] if it is there: (x − mean) / √(variance + Scalars[0]) · scale + bias. Unless centred, mean
// stands for zero, and variance for the mean of the squares.
func layerNorm[T dtype.Float](centred bool) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		scale, bias, epsilon := contiguous[T](a.Inputs[1]), []T(nil), a.Scalars[0]
		if centred {
			bias = contiguous[T](a.Inputs[2])
		}
		rowwise(t, 2*simpleRow, int(a.Integers[0]), a.Outputs, a.Inputs[:1], func(w *rowWork[T], _ int, rows *[maxOperands][]T) {
			dst, x := rows[0], rows[1]
			m := w.moment(x, centred)
			w.centre(m.mean)
			w.p[2] = T(m.inverse(epsilon))
			if centred {
				w.scaledAffine(&dst[0], &x[0], &scale[0], &bias[0], len(x), &w.p)
			} else {
				w.scaled(&dst[0], &x[0], &scale[0], len(x), &w.p)
			}
		})
		return nil
	}}
}

var (
	_ = registerFloats("layer_norm", layerNorm[float32](true), layerNorm[float64](true))
	_ = registerFloats("rms_norm", layerNorm[float32](false), layerNorm[float64](false))
)

// Sums over the rows, of what makes the gradients of scale and bias, are made in the element type over bundles of rows, in
// float64 over the bundles of a unit, and then over units.
const (
	bundle       = 64
	unitElements = 1 << 16
	// columnsAtOnce is how many columns are added side by side.
	columnsAtOnce = 64
)

// bundlesOf returns how many bundles so many rows are, and how many of them make a unit.
func bundlesOf(rows, length int) (bundles, unit int) {
	return (rows + bundle - 1) / bundle, max(1, unitElements/(bundle*max(length, 1)))
}

// LayerNormScratch returns the bytes of temporary memory that the gradient of layer_norm or rms_norm takes for so many rows.
func LayerNormScratch(rows, length int) int {
	bundles, _ := bundlesOf(rows, length)
	return demand(bundles * 2 * length * 8)
}

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
		bundles, unit := bundlesOf(rows, length)
		partial := temporary[T](a, bundles*2*length) // the sums of each bundle: for scale, then for bias
		dx := [maxOperands]device.View{a.Outputs[0], a.Inputs[0], a.Inputs[2]}
		t.ForCost(bundles, 3*simpleRow*float64(bundle*length), func(_ *parallel.Thread, lo, hi int) {
			clear(partial[lo*2*length : hi*2*length])
			forEachRow(dx[:1], dx[1:3], split, lo*bundle, min(hi*bundle, rows), func(w *rowWork[T], row int, rows *[maxOperands][]T) {
				at := row / bundle * 2 * length
				layerNormSlope(w, rows, scale, &partial[at], &partial[at+length], centred, epsilon)
			})
		})
		sums := make([]T, len(a.Outputs[1:])*length)
		t.ForCost(len(sums), light*float64(bundles), func(_ *parallel.Thread, lo, hi int) {
			for at := lo; at < hi; at += columnsAtOnce {
				var sum [columnsAtOnce]float64
				to := sums[at:min(at+columnsAtOnce, hi)]
				for first := 0; first < bundles; first += unit {
					var ofUnit [columnsAtOnce]float64
					for j := first; j < min(first+unit, bundles); j++ {
						for i, v := range partial[j*2*length+at:][:len(to)] {
							ofUnit[i] += float64(v)
						}
					}
					for i, v := range ofUnit {
						sum[i] += v
					}
				}
				for i := range to {
					to[i] = T(sum[i])
				}
			}
		})
		for i, out := range a.Outputs[1:] {
			assignAll(out, sums[i*length:(i+1)*length])
		}
		return nil
	}}
}

// layerNormSlope computes one row of layerNormGradient, and adds its parts of the gradients of scale and bias to those.
func layerNormSlope[T dtype.Float](w *rowWork[T], rows *[maxOperands][]T, scale []T, scaleSlope, biasSlope *T, centred bool, epsilon float64) {
	dst, x, u := &rows[0][0], &rows[1][0], &rows[2][0]
	n := len(rows[1])
	m, mean := w.momentAndSlopes(rows[1], u, scale, centred)
	inverse := m.inverse(epsilon)
	w.centre(m.mean)
	w.p[2] = T(inverse)
	w.p[3] = T(-inverse * inverse * inverse * mean.products / m.count)
	if w.p[4] = 0; centred {
		w.p[4] = T(-inverse * mean.sum / m.count)
	}
	w.scaledSlope(dst, x, u, &scale[0], scaleSlope, biasSlope, n, &w.p)
}

// momentAndSlopes returns the moment of a row, and slopes of the upstream gradient u times scale.
func (w *rowWork[T]) momentAndSlopes(x []T, u *T, scale []T, centred bool) (rowMoment, slope) {
	if w.jointScaledProducts == nil {
		m := w.moment(x, centred)
		return m, w.slopes(m.mean, func(shift float64) { w.scaledProducts(&x[0], u, &scale[0], len(x), shift, &w.sums) })
	}
	m := w.momentBy(x, centred, func(float64) { w.jointScaledProducts(&x[0], u, &scale[0], len(x), &w.sums, &w.more) })
	s := slope{laneTotal[T](&w.more, 0), laneTotal[T](&w.more, 1)}
	clear(w.more[:])
	s.products -= float64(m.mean * s.sum)
	return m, s
}

// slope is the sum of upstream gradients, and of their products with the distance of x from its mean.
type slope struct{ sum, products float64 }

// slopes returns what add gives to sums.
func (w *rowWork[T]) slopes(mean float64, add func(shift float64)) slope {
	add(mean)
	s := slope{w.total(0), w.total(1)}
	if rowLanes[T]() == 16 { // was not shifted
		s.products -= float64(mean * s.sum)
	}
	return s
}

var (
	_ = registerFloats("layer_norm_gradient", layerNormGradient[float32](true), layerNormGradient[float64](true))
	_ = registerFloats("rms_norm_gradient", layerNormGradient[float32](false), layerNormGradient[float64](false))
)
