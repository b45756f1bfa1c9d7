package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/parallel"
)

// The cost of one element of a softmax, in nanoseconds, and of what needs no exponential function.
const (
	exponentialRow = 0.7
	simpleRow      = 0.3
)

// alongRows is the kernel that computes body for each row along the last axis: of the result, then of the inputs.
func alongRows[T dtype.Float](nanoseconds float64, body func(w *rowWork[T], rows *[maxOperands][]T)) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		nanoseconds := nanoseconds * float64(a.Outputs[0].DType.Size()/4)
		rowwise(t, nanoseconds, 1, a.Outputs, a.Inputs, func(w *rowWork[T], _ int, rows *[maxOperands][]T) { body(w, rows) })
		return nil
	}}
}

// softmax is exp(x − max) / Σ exp(x − max), which does not overflow.
func softmax[T dtype.Float](w *rowWork[T], rows *[maxOperands][]T) {
	dst, x := &rows[0][0], &rows[1][0]
	n := len(rows[1])
	w.exponentials(dst, x, n, w.largest(x, n))
	w.multiply(dst, dst, n, T(1/w.sum(dst, n)))
}

var _ = registerFloats("softmax", alongRows(exponentialRow, softmax[float32]), alongRows(exponentialRow, softmax[float64]))

// logSoftmax is x − max − log Σ exp(x − max).
func logSoftmax[T dtype.Float](w *rowWork[T], rows *[maxOperands][]T) {
	dst, x := &rows[0][0], &rows[1][0]
	shift, spread := w.logSumExp(rows[1])
	w.subtract(dst, x, len(rows[1]), shift, T(spread))
}

var _ = registerFloats("log_softmax", alongRows(exponentialRow, logSoftmax[float32]), alongRows(exponentialRow, logSoftmax[float64]))

// logSumExp returns the maximum of x and log Σ exp(x − max); their sum is log Σ exp(x).
func (w *rowWork[T]) logSumExp(x []T) (shift T, spread float64) {
	shift = w.largest(&x[0], len(x))
	return shift, calculus.LogFloat64(w.sumExponentials(x, shift))
}

// rowPart is how many elements of a row are computed before they are added.
const rowPart = 1024

// sumExponentials returns Σ exp(x − shift), where x is not greater than shift.
func (w *rowWork[T]) sumExponentials(x []T, shift T) (total float64) {
	if w.part == nil {
		w.part = make([]T, 2*rowPart)[:rowPart] // far from the part of another thread: processors read ahead of where they write
	}
	for len(x) > 0 {
		n := min(len(x), rowPart)
		w.exponentials(&w.part[0], &x[0], n, shift)
		total += w.sumOfPowers(w.part[:n])
		x = x[n:]
	}
	return total
}

// sumOfPowers returns Σ x of powers, of which the largest of a row is 1. Where that outweighs the others they alone make the logarithm of
// the sum, and the sum less the largest; joined with it in float32 they would be lost.
func (w *rowWork[T]) sumOfPowers(x []T) float64 {
	sum := w.sum(&x[0], len(x))
	if lanes := rowLanes[T](); lanes == 16 && len(x) >= 2*lanes && 1 <= sum && sum < 2 {
		w.shiftedMoments(&x[0], len(x), 0, &w.sums)
		sum, _ = w.totals(&w.sums)
	}
	return sum
}

// softmaxGradient computes the gradient of a softmax from its results y and the upstream gradient u: y (u − Σ y u).
func softmaxGradient[T dtype.Float](w *rowWork[T], rows *[maxOperands][]T) {
	dst, y, u := &rows[0][0], &rows[1][0], &rows[2][0]
	n := len(rows[1])
	w.softmaxSlope(dst, y, u, n, T(w.dot(y, u, n)))
}

var _ = registerFloats("softmax_gradient", alongRows(simpleRow, softmaxGradient[float32]), alongRows(simpleRow, softmaxGradient[float64]))

// logSoftmaxGradient computes the gradient of the logarithm of a softmax from its results y and the upstream gradient u:
// u − exp(y) Σ u.
func logSoftmaxGradient[T dtype.Float](w *rowWork[T], rows *[maxOperands][]T) {
	dst, y, u := &rows[0][0], &rows[1][0], &rows[2][0]
	n := len(rows[1])
	w.logSoftmaxSlope(dst, y, u, n, T(w.sum(u, n)))
}

var _ = registerFloats("log_softmax_gradient", alongRows(exponentialRow, logSoftmaxGradient[float32]), alongRows(exponentialRow, logSoftmaxGradient[float64]))

// labelsOf returns the labels of rows, which must be from 0 up to classes.
func labelsOf(view device.View, classes int) ([]int64, error) {
	labels := contiguous[int64](view)
	for _, label := range labels {
		if label < 0 || label >= int64(classes) {
			return nil, dataErrorf(fault.ErrIndex, "label %d is out of range for %d classes", label, classes)
		}
	}
	return labels, nil
}

// logarithmRow is the nanoseconds that the logarithm of one row takes there.
const logarithmRow = 2

// softmaxCrossEntropy computes Outputs[0], of shape (n,), from logits Inputs[0], of shape (n, classes), and labels
// Inputs[1], of shape (n,): log Σ exp of the logits, less the logit of the label.
func softmaxCrossEntropy[T dtype.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		labels, err := labelsOf(a.Inputs[1], a.Inputs[0].Shape[1])
		if err != nil {
			return err
		}
		work := make([]float64, 2*len(labels))
		sums, chosen := work[:len(labels)], work[len(labels):]
		rowwise(t, exponentialRow, 1, nil, a.Inputs[:1], func(w *rowWork[T], row int, rows *[maxOperands][]T) {
			x := rows[0]
			shift := w.largest(&x[0], len(x))
			sums[row] = w.sumExponentials(x, shift)
			chosen[row] = float64(x[labels[row]]) - float64(shift)
		})
		losses := make([]T, len(labels))
		t.ForCost(len(labels), logarithmRow, func(_ *parallel.Thread, lo, hi int) {
			calculus.Log.Float64(sums[lo:hi], sums[lo:hi])
			for row := lo; row < hi; row++ {
				losses[row] = T(sums[row] - chosen[row])
			}
		})
		assignAll(a.Outputs[0], losses)
		return nil
	}}
}

var _ = registerFloats("softmax_cross_entropy", softmaxCrossEntropy[float32](), softmaxCrossEntropy[float64]())

// softmaxCrossEntropyGradient computes Outputs[0], of shape (n, classes), from logits Inputs[0] of that shape, labels
// Inputs[1] and the upstream gradient Inputs[2], both of shape (n,): the softmax, less one at the label, times upstream.
func softmaxCrossEntropyGradient[T dtype.Float]() entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		labels, err := labelsOf(a.Inputs[1], a.Inputs[0].Shape[1])
		if err != nil {
			return err
		}
		upstream := contiguous[T](a.Inputs[2])
		rowwise(t, exponentialRow, 1, a.Outputs, a.Inputs[:1], func(w *rowWork[T], row int, rows *[maxOperands][]T) {
			dst, x := rows[0], &rows[1][0]
			w.exponentials(&dst[0], x, len(dst), w.largest(x, len(dst)))
			label, sum := labels[row], w.sumOfPowers(dst)
			rest := float64(dst[label]) - sum // of the probability at the label, less one
			w.multiply(&dst[0], &dst[0], len(dst), T(float64(upstream[row])/sum))
			dst[label] = T(rest / sum * float64(upstream[row]))
		})
		return nil
	}}
}

var _ = registerFloats("softmax_cross_entropy_gradient", softmaxCrossEntropyGradient[float32](), softmaxCrossEntropyGradient[float64]())
