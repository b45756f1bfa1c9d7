package nn

import (
	"fmt"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// SoftmaxCrossEntropy returns the mean over all rows of minus the logarithm of the softmax of logits, of shape
// (rows, classes), at the row's label; labels are integers of shape (rows,). A label out of range is an error of the result.
func SoftmaxCrossEntropy(logits, labels *nd.Array) *nd.Array {
	return nd.SoftmaxCrossEntropy(logits, labels).Mean()
}

// Accuracy returns the part of the rows of logits, of shape (rows, classes), whose largest element is at the row's label: a
// float64 array without axes, NaN if there are no rows. Labels are of shape (rows,); others panic with *nd.Error.
func Accuracy(logits, labels *nd.Array) *nd.Array {
	if logits == nil || labels == nil {
		mistake("Accuracy", fault.ErrMisuse, "the logits or the labels are nil")
	}
	if logits.Rank() != 2 || labels.Rank() != 1 || logits.Shape()[0] != labels.Count() || logits.Shape()[1] == 0 {
		mistake("Accuracy", fault.ErrShape, fmt.Sprintf("logits %s and labels %s do not fit: want (rows,classes), with a class, and (rows,)",
			fault.FormatShape(logits.Shape()), fault.FormatShape(labels.Shape())), logits, labels)
	}
	hits := logits.ArgMax(1).Equal(labels)
	return hits.Cast(dtype.Float64).Mean()
}
