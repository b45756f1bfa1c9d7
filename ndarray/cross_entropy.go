package ndarray

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// SoftmaxCrossEntropy returns, for each row of logits (...,classes), minus the logarithm of the softmax at the label that labels
// (...), of an integer dtype, give it: an array of the shape of labels; nn.SoftmaxCrossEntropy is their mean. A label out of range
// is an error of the result. It panics with *Error if the shapes do not fit.
func SoftmaxCrossEntropy(logits, labels *Array) *Array {
	const name = "SoftmaxCrossEntropy"
	checkNotNil(name, logits, labels)
	if logits.Rank() == 2 {
		return call(ops.SoftmaxCrossEntropy, nil, logits, labels)
	}
	shape, rows := logits.Shape(), labels.Shape()
	if len(shape) == 0 || !slices.Equal(shape[:len(shape)-1], rows) {
		fail(name, fault.ErrShape, fmt.Sprintf("logits %s and labels %s do not fit: want (...,classes) and (...)", fault.FormatShape(shape), fault.FormatShape(rows)), logits, labels)
	}
	given := InOneCapture(logits, labels)
	logits, labels = given[0].Reshape(labels.Count(), shape[len(rows)]), given[1].Reshape(labels.Count())
	return call(ops.SoftmaxCrossEntropy, nil, logits, labels).Reshape(rows...)
}

// SigmoidCrossEntropy returns, for each element, −t·log(σ(x)) − (1−t)·log(1−σ(x)), where x is of logits, σ the sigmoid function, and
// t the element of targets between 0 and 1; it is finite for all finite logits. nn.SigmoidCrossEntropy is the mean. It panics with
// *Error unless shapes and dtypes, which are floats, are equal.
func SigmoidCrossEntropy(logits, targets *Array) *Array {
	const name = "SigmoidCrossEntropy"
	checkNotNil(name, logits, targets)
	switch {
	case !slices.Equal(logits.Shape(), targets.Shape()):
		fail(name, fault.ErrShape, fmt.Sprintf("logits have shape %s, the targets %s", fault.FormatShape(logits.Shape()), fault.FormatShape(targets.Shape())), logits, targets)
	case logits.DType() != targets.DType() || !logits.DType().IsFloat():
		fail(name, fault.ErrDType, fmt.Sprintf("logits are %v, the targets %v: want equal floats", logits.DType(), targets.DType()), logits, targets)
	}
	operands := tensors(InOneCapture(logits, targets))
	x, t := (*Array)(operands[0].Detach()), (*Array)(operands[1].Detach())
	// softplus(x) − t·x would lose the digits of what is nearly certain. What x·(step(x) − t) leaves is near zero for either sign.
	loss := x.Abs()
	NegInto(loss, loss)
	SoftplusInto(loss, loss)
	isPositive := x.GreaterScalar(0)
	line := isPositive.Cast(x.DType())
	SubInto(line, line, t)
	MulInto(line, line, x)
	AddInto(loss, loss, line)
	site := fault.Here(1)
	isPositive.tensor().Discard(site)
	line.tensor().Discard(site)
	return (*Array)(ops.RecordAs(sigmoidCrossEntropy, operands, []*ops.Tensor{loss.tensor()}, site)[0])
}

// sigmoidCrossEntropy is what tapes keep of the loss: the gradients of its parts would take more than twice as many operators.
var sigmoidCrossEntropy = &ops.Operator{
	Name: "sigmoid_cross_entropy", Saves: ops.SaveInputs,
	Gradient: func(r *ops.Rule) {
		x, t := r.Input(0), r.Input(1)
		if r.Wants(0) { // σ(x) − t, with the digits of what is nearly certain
			ofOnes, ofZeros := r.Mul(t, r.Apply("sigmoid", nil, r.Neg(x))), r.Mul(r.Sub(r.Constant(1, t), t), r.Apply("sigmoid", nil, x))
			r.Set(0, r.Mul(r.Upstream(), r.Sub(ofZeros, ofOnes)))
		}
		if r.Wants(1) {
			r.Set(1, r.Neg(r.Mul(r.Upstream(), x)))
		}
	},
}
