package ndarray

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/ops"
)

// AsumData returns the sum of the magnitudes of the data, a 0-d array. It is 0 if they were never written, and allocates
// nothing then.
func (b *Blob) AsumData() *Array { return b.sum(ops.Asum, b.Data()) }

// AsumDiff is AsumData for the diff.
func (b *Blob) AsumDiff() *Array { return b.sum(ops.Asum, b.Diff()) }

// SumsqData returns the sum of the squares of the data, a 0-d array. It is 0 if they were never written, and allocates
// nothing then.
func (b *Blob) SumsqData() *Array { return b.sum(ops.Sumsq, b.Data()) }

// SumsqDiff is SumsqData for the diff.
func (b *Blob) SumsqDiff() *Array { return b.sum(ops.Sumsq, b.Diff()) }

// sum returns a sum over all elements of a.
func (b *Blob) sum(op *ops.Operator, a *Array) *Array {
	if a.isUnwritten() && a.DType() != dtype.Bool {
		a = ZerosIn(b.env, a.DType(), 0) // of which the sum is the same, and checks the dtype
	}
	return reduce(op, a, nil, false)
}

// ScaleData multiplies the data with factor in place. It returns a 0-d bool, true when that is done; if there is no memory
// to do it on the device of b, the data stay as they are and the error is that of the result. Data that were never written
// stay zero. It panics with *Error if the dtype is one without arithmetic, or an integer and factor is none.
func (b *Blob) ScaleData(factor float64) *Array { return b.scale(b.Data(), factor) }

// ScaleDiff is ScaleData for the diff.
func (b *Blob) ScaleDiff(factor float64) *Array { return b.scale(b.Diff(), factor) }

func (b *Blob) scale(a *Array, factor float64) *Array {
	if a.isUnwritten() {
		a = ZerosIn(b.env, a.DType(), 0)
	}
	return call(ops.Rescale, ops.RescaleParams{Factor: factor}, a)
}

// Update subtracts the diff from the data in place: a step of a solver, whose rate is in the diff. It returns a 0-d bool,
// true when that is done; if the diff is in error or there is no memory, the data stay as they are and the error is that of
// the result. It panics with *Error if the dtype is one without arithmetic.
func (b *Blob) Update() *Array { return call(ops.Update, nil, b.Data(), b.Diff()) }

// isUnwritten reports whether no operation that writes the memory of a was ever pushed, so that it is zero. It is that of a
// Blob, which never holds memory made with contents.
func (a *Array) isUnwritten() bool { return a.tensor().View().Synced.Var().Sequence() == 0 }
