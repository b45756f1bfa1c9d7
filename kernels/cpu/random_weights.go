package cpu

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
	"github.com/weft-nd/weft/parallel"
)

// weighing reads an array of shape (..., categories) as rows of weights, which are the exponentials of the elements where
// those are logarithms.
type weighing[T dtype.Float] struct {
	view        device.View
	rows        *nest
	categories  int
	logarithmic bool
	least       int // how many positive weights a row must have
}

// newWeighing returns one of rows that must have at least one positive weight.
func newWeighing[T dtype.Float](view device.View, logarithmic bool) *weighing[T] {
	last := len(view.Shape) - 1
	return &weighing[T]{view: view, rows: newOrderedNest(part(view, 0, last)), categories: view.Shape[last], logarithmic: logarithmic, least: 1}
}

// elements reads the elements of a row.
func (w *weighing[T]) elements(row int, dst []float64) {
	var c cursor
	c.seek(w.rows, row)
	stride := w.view.Strides[len(w.view.Shape)-1] * w.view.DType.Size()
	for i := range dst {
		dst[i] = float64(*(*T)(unsafe.Add(c.pointer(0), i*stride)))
	}
}

// read fills dst with the weights of a row, the largest of which is 1 if the elements are logarithms. It returns what is wrong
// with the row.
func (w *weighing[T]) read(row int, dst []float64) (problem string) {
	if w.categories == 0 {
		return w.tooFew(0)
	}
	w.elements(row, dst)
	if w.logarithmic {
		return w.exponentiate(dst)
	}
	sum, positive := 0.0, 0
	for i, weight := range dst {
		if !(weight >= 0 && weight <= math.MaxFloat64) {
			return fmt.Sprintf("weight %d is %v (legal: finite, not negative)", i, weight)
		}
		if sum += weight; weight > 0 {
			positive++
		}
	}
	if sum > math.MaxFloat64 {
		return "the sum of the weights is too large for float64"
	}
	return w.tooFew(positive)
}

// exponentiate replaces logarithms of weights by the weights.
func (w *weighing[T]) exponentiate(dst []float64) (problem string) {
	largest := math.Inf(-1)
	for i, logit := range dst {
		if !(logit <= math.MaxFloat64) {
			return fmt.Sprintf("logit %d is %v (legal: finite, or -Inf for a weight of zero)", i, logit)
		}
		largest = max(largest, logit)
	}
	if math.IsInf(largest, -1) {
		return w.tooFew(0)
	}
	positive := 0
	for i, logit := range dst {
		if dst[i] = elementary.Exp(logit - largest); dst[i] > 0 {
			positive++
		}
	}
	return w.tooFew(positive)
}

// tooFew tells that a row has fewer positive weights than it must have.
func (w *weighing[T]) tooFew(positive int) (problem string) {
	switch {
	case positive >= w.least:
		return ""
	case positive == 0:
		return "no weight is positive"
	}
	return fmt.Sprintf("only %d weights are positive, %d are wanted", positive, w.least)
}

// check calls body with the weights of every row, which are valid until it returns, and returns the error of the first row
// that has one.
func (w *weighing[T]) check(t *parallel.Thread, nanoseconds float64, body func(row int, weights []float64)) error {
	bad := newEarliest()
	if w.logarithmic {
		nanoseconds += heavy
	}
	t.ForCost(w.rows.count, nanoseconds*float64(w.categories), func(_ *parallel.Thread, lo, hi int) {
		weights := make([]float64, w.categories)
		for row := lo; row < hi; row++ {
			if w.read(row, weights) != "" {
				bad.take(row)
				return
			}
			if body != nil {
				body(row, weights)
			}
		}
	})
	row, found := bad.get()
	if !found {
		return nil
	}
	problem := w.read(row, make([]float64, w.categories))
	if shape := w.view.Shape[:len(w.view.Shape)-1]; len(shape) > 0 {
		problem = fmt.Sprintf("row %s: %s", place(row, shape), problem)
	}
	return dataErrorf(fault.ErrParameter, "%s", problem)
}
