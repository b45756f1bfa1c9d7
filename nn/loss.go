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
	hits := logits.ArgMax(1).Equal(labels)
	if logits.Rank() != 2 || labels.Rank() != 1 || labels.Count() != hits.Count() {
		shapes := [][]int{logits.Shape(), labels.Shape()}
		panic(&nd.Error{
			Operator: "Accuracy", Cause: fault.ErrShape, Site: fault.Here(1), Shapes: shapes, DTypes: []dtype.DType{logits.DType(), labels.DType()},
			Detail: fmt.Sprintf("logits %s and labels %s do not fit: want (rows,classes) and (rows,)", fault.FormatShape(shapes[0]), fault.FormatShape(shapes[1])),
		})
	}
	return hits.Cast(dtype.Float64).Mean()
}
