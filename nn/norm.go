package nn

import (
	"iter"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// epsilon is what normalisations add to the variance.
const epsilon = 1e-5

// affine are the parameters that normalisations end with.
type affine struct{ scale, bias *nd.Array }

func newAffine(env *nd.Env, shape ...int) affine {
	return affine{scale: nd.FullIn(env, dtype.Float32, 1, shape...), bias: nd.ZerosIn(env, dtype.Float32, shape...)}
}

// Named implements Layer.
func (a affine) Named() iter.Seq2[string, *nd.Array] {
	return func(yield func(string, *nd.Array) bool) {
		_ = yield("scale", a.scale) && yield("bias", a.bias)
	}
}

// LayerNorm normalises each sample over its last axes to mean zero and variance one, then scales and shifts each element (Ba,
// Kiros and Hinton, "Layer normalization", 2016).
type LayerNorm struct {
	affine
	axes int
}

// NewLayerNorm returns a float32 layer for arrays whose last axes have the given shape.
func NewLayerNorm(env *nd.Env, shape ...int) *LayerNorm {
	return &LayerNorm{newAffine(env, shape...), len(shape)}
}

// Forward implements Layer.
func (l *LayerNorm) Forward(c *Ctx, x *nd.Array) *nd.Array {
	return x.LayerNorm(c.Param(l.scale), c.Param(l.bias), -l.axes, epsilon)
}

// RMSNorm divides each sample by the root of the mean of its squares over the last axes, then scales each element (Zhang and
// Sennrich, "Root mean square layer normalization", 2019).
type RMSNorm struct {
	scale *nd.Array
	axes  int
}

// NewRMSNorm returns a float32 layer for arrays whose last axes have the given shape.
func NewRMSNorm(env *nd.Env, shape ...int) *RMSNorm {
	return &RMSNorm{nd.FullIn(env, dtype.Float32, 1, shape...), len(shape)}
}

// Forward implements Layer.
func (l *RMSNorm) Forward(c *Ctx, x *nd.Array) *nd.Array {
	return x.RMSNorm(c.Param(l.scale), -l.axes, epsilon)
}

// Named implements Layer.
func (l *RMSNorm) Named() iter.Seq2[string, *nd.Array] {
	return func(yield func(string, *nd.Array) bool) { yield("scale", l.scale) }
}

// GroupNorm normalises groups of the channels of each sample, with all axes behind, to mean zero and variance one, then scales
// and shifts each channel (Wu and He, "Group normalization", 2018). It behaves the same in training and inference.
type GroupNorm struct {
	affine
	groups int
}

// NewGroupNorm returns a float32 layer for arrays of shape (samples, channels, axes...). As many groups as channels is instance
// normalisation. Forward panics with *nd.Error if groups does not divide channels.
func NewGroupNorm(env *nd.Env, groups, channels int) *GroupNorm {
	return &GroupNorm{newAffine(env, channels), groups}
}

// Forward implements Layer.
func (l *GroupNorm) Forward(c *Ctx, x *nd.Array) *nd.Array {
	return x.GroupNorm(l.groups, c.Param(l.scale), c.Param(l.bias), epsilon)
}
