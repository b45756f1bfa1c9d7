package nn

import nd "github.com/weft-nd/weft/ndarray"

// SoftmaxCrossEntropy returns the mean over all rows of minus the logarithm of the softmax of logits, of shape
// (rows, classes), at the row's label; labels are integers of shape (rows,). A label out of range is an error of the result.
func SoftmaxCrossEntropy(logits, labels *nd.Array) *nd.Array {
	return nd.SoftmaxCrossEntropy(logits, labels).Mean()
}

// Accuracy returns the part of the rows of logits whose largest element is at the row's label: a float64 array without
// axes.
func Accuracy(logits, labels *nd.Array) *nd.Array {
	return logits.ArgMax(1).Equal(labels).Mean()
}
