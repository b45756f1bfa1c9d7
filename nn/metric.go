package nn

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Accuracy returns the part of the rows of logits, of shape (...,classes), whose largest element is at the row's label: a
// float64 array without axes, NaN if there are no rows. Labels are integers of shape (...), one axis at least; others panic with *nd.Error.
func Accuracy(logits, labels *nd.Array) *nd.Array {
	logits, labels = labelled("Accuracy", logits, labels)
	return logits.ArgMax(1).Equal(labels).Cast(dtype.Float64).Mean()
}

// TopKAccuracy returns the part of the rows of logits, of shape (...,classes), of which the row's label is among the k
// largest elements: a float64 array without axes, NaN if there are no rows. Labels are integers of shape (...), one
// axis at least, and k is from 1 to the number of classes; others panic with *nd.Error.
func TopKAccuracy(logits, labels *nd.Array, k int) *nd.Array {
	logits, labels = labelled("TopKAccuracy", logits, labels)
	if k < 1 || k > logits.Shape()[1] {
		mistake("TopKAccuracy", fault.ErrParameter, fmt.Sprintf("k is %d (legal: from 1 to the %d classes)", k, logits.Shape()[1]), logits)
	}
	_, places := logits.TopK(k, 1)
	return places.Equal(labels.ExpandDims(1)).AnyTrue(1).Cast(dtype.Float64).Mean()
}

// ConfusionMatrix returns how often each label (row) was taken for each class (column): an int64 array of shape
// (classes, classes), for logits of shape (...,classes) and integer labels of shape (...), one axis at least; others
// panic with *nd.Error. A label out of range is an error of the result.
func ConfusionMatrix(logits, labels *nd.Array) *nd.Array {
	logits, labels = labelled("ConfusionMatrix", logits, labels)
	classes := logits.Shape()[1]
	// A product of matrices of zeros and ones is exact as long as no count exceeds 2⁵³.
	truth, taken := labels.OneHot(classes, dtype.Float64), logits.ArgMax(1).OneHot(classes, dtype.Float64)
	return truth.T().MatMul(taken).Cast(dtype.Int64)
}

// labelled returns logits as rows, and the labels as a line. It fails if labels are not one for each row of logits.
func labelled(metric string, logits, labels *nd.Array) (rows, line *nd.Array) {
	if logits == nil || labels == nil {
		mistake(metric, fault.ErrMisuse, "the logits or the labels are nil")
	}
	shape, last := logits.Shape(), logits.Rank()-1
	if last < 1 || !slices.Equal(shape[:last], labels.Shape()) || shape[last] == 0 {
		mistake(metric, fault.ErrShape, fmt.Sprintf("logits %s and labels %s do not fit: want (...,classes), with a class, and (...), with an axis",
			fault.FormatShape(shape), fault.FormatShape(labels.Shape())), logits, labels)
	}
	if !labels.DType().IsInteger() {
		mistake(metric, fault.ErrDType, fmt.Sprintf("the labels are %v, not integers", labels.DType()), logits, labels)
	}
	given := nd.InOneCapture(logits, labels)
	if logits, labels = given[0], given[1]; last == 1 {
		return logits, labels
	}
	return logits.Reshape(labels.Count(), shape[last]), labels.Reshape(labels.Count())
}
