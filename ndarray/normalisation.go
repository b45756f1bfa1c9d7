package ndarray

import "github.com/weft-nd/weft/ops"

// SoftmaxInto is Softmax written to dst, which must have the shape and dtype of the result.
func SoftmaxInto(dst, a *Array, axis int) {
	callInto(ops.Softmax, ops.SoftmaxParams{Axis: axis}, dst, a)
}

// LogSoftmaxInto is LogSoftmax written to dst, which must have the shape and dtype of the result.
func LogSoftmaxInto(dst, a *Array, axis int) {
	callInto(ops.LogSoftmax, ops.SoftmaxParams{Axis: axis}, dst, a)
}

// LayerNorm returns (a − mean) / √(variance + epsilon) · scale + bias, with mean and variance over axis and all axes behind;
// scale and bias have the shape of these (Ba, Kiros and Hinton, "Layer normalization", 2016). Integers become float64. Sums are
// made in the element type over eight elements at a time, and in float64 over what these give, where that is precise, otherwise
// wholly in float64; for the gradients of scale and bias, sums over rows are made in the element type. It panics with *Error if
// the shapes do not fit.
func (a *Array) LayerNorm(scale, bias *Array, axis int, epsilon float64) *Array {
	return call(ops.LayerNorm, ops.LayerNormParams{Axis: axis, Epsilon: epsilon}, a, scale, bias)
}

// RMSNorm returns a / √(mean of a² + epsilon) · scale, with the mean over axis and all axes behind; scale has the shape of
// these (Zhang and Sennrich, "Root mean square layer normalization", 2019). Otherwise it is as LayerNorm.
func (a *Array) RMSNorm(scale *Array, axis int, epsilon float64) *Array {
	return call(ops.RMSNorm, ops.LayerNormParams{Axis: axis, Epsilon: epsilon}, a, scale)
}

// BatchNorm returns (a − mean) / √(variance + epsilon) · scale + bias for a of shape (samples, channels, axes...), with mean and
// variance over all axes but 1, and both of them; all but a have the shape (channels,) (Ioffe and Szegedy, "Batch
// normalization", 2015). The variance is that of the population: squares are divided by the number of elements. Means and
// variances of no elements are NaN. Integers become float64; sums are made in float64.
func (a *Array) BatchNorm(scale, bias *Array, epsilon float64) (y, means, variances *Array) {
	results := ops.Invoke(ops.BatchNorm, ops.BatchNormParams{Epsilon: epsilon}, tensors([]*Array{a, scale, bias})...)
	return (*Array)(results[0]), (*Array)(results[1]), (*Array)(results[2])
}

// BatchNormInference is BatchNorm with means and variances that are known, of shape (channels,).
func (a *Array) BatchNormInference(scale, bias, means, variances *Array, epsilon float64) *Array {
	return call(ops.BatchNormInference, ops.BatchNormParams{Epsilon: epsilon}, a, scale, bias, means, variances)
}

// GroupNorm returns (a − mean) / √(variance + epsilon) · scale + bias for a of shape (samples, channels, axes...), with mean and
// variance over the channels of one of the groups and all axes behind; scale and bias have the shape (channels,) (Wu and He,
// "Group normalization", 2018). As many groups as channels is instance normalisation. Integers become float64; sums are made
// in float64. It panics with *Error if groups does not divide the channels.
func (a *Array) GroupNorm(groups int, scale, bias *Array, epsilon float64) *Array {
	return call(ops.GroupNorm, ops.GroupNormParams{Groups: groups, Epsilon: epsilon}, a, scale, bias)
}
