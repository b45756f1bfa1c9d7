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
		sum, squares := w.totals(&w.sums)
		return rowMoment{n, sum / n, atLeastZero(squares - float64(sum*(sum/n)))}
	}
	add(float64(first))
	sum, _ := w.totals(&w.sums)
	mean := float64(first) + sum/n
	add(mean)
	rest, squares := w.totals(&w.sums)
	return rowMoment{n, mean + rest/n, atLeastZero(squares - float64(rest*(rest/n)))}
}

// atLeastZero returns x, or zero for negative x; NaN stays NaN.
func atLeastZero(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x
}

// centre sets the parameters p of loops that subtract mean.
func centre[T dtype.Float](p *[6]T, mean float64) {
	p[0] = T(mean)
	p[1] = T(mean - float64(p[0]))
}

// moment returns the moment of a row, about zero unless it is centred.
func (w *rowWork[T]) moment(x []T, centred bool) rowMoment {
	return w.momentBy(x, centred, func(shift float64) { w.shiftedMoments(&x[0], len(x), shift, &w.sums) })
}

// smallSquare is the mean of squares, or of other products, below which those of float32 elements may have lost digits.
const smallSquare = 0x1p-100

// roundedMoment is moment in one quick pass: squares, and sums of eight of them, are rounded to T, and distances in a
// centred row are taken from its first element. That costs precision where this element is far from the mean: see
// momentFrom.
func (w *rowWork[T]) roundedMoment(x []T, centred bool) rowMoment {
	n, origin, sum, squares := float64(len(x)), T(0), 0.0, 0.0
	if centred {
		origin = x[0]
		sum, squares = w.momentsFrom(&x[0], len(x), origin)
	} else {
		squares = w.dot(&x[0], &x[0], len(x))
	}
	if m, _, precise := momentFrom(n, float64(origin), sum, squares); precise {
		return m
	}
	return w.moment(x, centred)
}

// momentFrom returns the moment of n elements from the sum of their distances from origin, and of the squares of these,
// and how far away from there their mean is. It is not precise where the square of that is more than seven eighths of
// the mean of the squares, or these are out of range. Otherwise the squares of distances from the mean are off by eight
// times the seven roundings of each square at most, most of which cancel out.
func momentFrom(n, origin, sum, squares float64) (m rowMoment, away float64, precise bool) {
	away = float64(sum * (1 / n)) // a quotient would be ready later
	m = rowMoment{n, origin + away, squares - float64(sum*away)}
	return m, away, squares >= n*smallSquare && squares <= math.MaxFloat64 && m.squares >= squares/8
}

// momentBy is moment of what add gives to sums.
func (w *rowWork[T]) momentBy(x []T, centred bool, add func(shift float64)) rowMoment {
	if centred {
		return w.momentOf(x[0], len(x), add)
	}
	add(0)
	_, squares := w.totals(&w.sums)
	return rowMoment{float64(len(x)), 0, squares}
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
			m := w.roundedMoment(x, centred)
			centre(&w.p, m.mean)
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
