package nn

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// SoftmaxCrossEntropy returns the mean over all rows of minus the logarithm of the softmax of logits, of shape
// (...,classes), at the row's label; labels are integers of shape (...). A label out of range is an error of the
// result. The terms of the mean are those of ndarray.SoftmaxCrossEntropy. Labels of the shape and dtype of logits are
// the probabilities p of the classes instead, such as mixed or smoothed labels, and the terms are −Σ p·log(softmax);
// tapes see them, too. Others panic with *nd.Error.
func SoftmaxCrossEntropy(logits, labels *nd.Array) *nd.Array {
	const loss = "SoftmaxCrossEntropy"
	switch {
	case logits == nil || labels == nil:
		mistake(loss, fault.ErrMisuse, "an array is nil")
	case labels.DType().IsFloat():
		checkProbabilities(loss, logits, labels)
		given := nd.InOneCapture(logits, labels)
		return given[0].LogSoftmax(-1).Mul(given[1]).Sum(-1).Mean().Neg()
	}
	return nd.SoftmaxCrossEntropy(logits, labels).Mean()
}

// checkProbabilities fails if labels that are floats are no probabilities of all classes.
func checkProbabilities(loss string, logits, labels *nd.Array) {
	const want = "labels are integers, one for each row of logits, or probabilities of their shape and dtype"
	switch {
	case logits.DType() != labels.DType() || logits.Rank() != labels.Rank(): // They were meant to be numbers of classes.
		mistake(loss, fault.ErrDType, want, logits, labels)
	case labels.Rank() == 0 || !slices.Equal(logits.Shape(), labels.Shape()):
		mistake(loss, fault.ErrShape, want, logits, labels)
	}
}

// SigmoidCrossEntropy returns the mean over all elements of −t·log(σ(x)) − (1−t)·log(1−σ(x)), where x is of logits, σ the sigmoid
// function, and t the element of targets between 0 and 1; it is finite for all finite logits. The terms of the mean are those of
// ndarray.SigmoidCrossEntropy. Shapes and dtypes must be equal.
func SigmoidCrossEntropy(logits, targets *nd.Array) *nd.Array {
	checkTargets("SigmoidCrossEntropy", logits, targets)
	return nd.SigmoidCrossEntropy(logits, targets).Mean()
}

// AbsoluteError returns the mean over all elements of |prediction − target|, the L1 loss. Shapes and dtypes must be equal.
func AbsoluteError(predictions, targets *nd.Array) *nd.Array {
	checkTargets("AbsoluteError", predictions, targets)
	return predictions.Sub(targets).Abs().Mean()
}

// SquaredError returns the mean over all elements of (prediction − target)², the L2 loss. Shapes and dtypes must be equal.
func SquaredError(predictions, targets *nd.Array) *nd.Array {
	checkTargets("SquaredError", predictions, targets)
	return predictions.Sub(targets).Square().Mean()
}

// Huber returns the mean over all elements of e²/2 where e = |prediction − target| is at most delta, and of delta·(e − delta/2)
// elsewhere (Huber, "Robust estimation of a location parameter", 1964). Shapes and dtypes must be equal, and delta positive.
func Huber(predictions, targets *nd.Array, delta float64) *nd.Array {
	checkTargets("Huber", predictions, targets)
	if !(delta > 0) {
		mistake("Huber", fault.ErrParameter, fmt.Sprintf("delta is %v (legal: positive)", delta))
	}
	e := predictions.Sub(targets).Abs()
	near := e.MinimumScalar(delta)
	return near.Mul(e.Sub(near.MulScalar(0.5))).Mean()
}

// checkTargets fails if targets do not fit. They are not broadcast: a column compared with a row is a mistake more often than meant.
func checkTargets(loss string, x, targets *nd.Array) {
	switch {
	case x == nil || targets == nil:
		mistake(loss, fault.ErrMisuse, "an array is nil")
	case !slices.Equal(x.Shape(), targets.Shape()):
		mistake(loss, fault.ErrShape, fmt.Sprintf("predictions have shape %s, the targets %s", fault.FormatShape(x.Shape()), fault.FormatShape(targets.Shape())), x, targets)
	case x.DType() != targets.DType() || !x.DType().IsFloat():
		mistake(loss, fault.ErrDType, fmt.Sprintf("predictions are %v, the targets %v: want equal floats", x.DType(), targets.DType()), x, targets)
	}
}
