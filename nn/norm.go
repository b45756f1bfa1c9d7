package nn

import (
	"fmt"
	"iter"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// epsilon is what normalisations add to the variance, unless the program sets something else.
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
	// Epsilon is added to the variance, 1e-5 unless the program sets another number of at least 0, before Forward.
	Epsilon float64

	affine
	axes int
}

// NewLayerNorm returns a float32 layer for arrays whose last axes, one or more, have the given shape. It panics with *nd.Error if
// there is none, or a size is negative.
func NewLayerNorm(env *nd.Env, shape ...int) *LayerNorm {
	checkAxes("NewLayerNorm", env, shape)
	defer named("NewLayerNorm")
	return &LayerNorm{epsilon, newAffine(env, shape...), len(shape)}
}

// Forward implements Layer.
func (l *LayerNorm) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("LayerNorm", c, x)
	return x.LayerNorm(c.Param(l.scale), c.Param(l.bias), -l.axes, l.Epsilon)
}

// checkAxes fails unless shape is that of one axis or more.
func checkAxes(name string, env *nd.Env, shape []int) {
	checkMaking(name, env, 0, shape...)
	if len(shape) == 0 {
		mistake(name, fault.ErrParameter, "there is no axis to normalise over")
	}
}

// RMSNorm divides each sample by the root of the mean of its squares over the last axes, then scales each element (Zhang and
// Sennrich, "Root mean square layer normalization", 2019).
type RMSNorm struct {
	// Epsilon is added to the mean of the squares; see LayerNorm.
	Epsilon float64

	scale *nd.Array
	axes  int
}

// NewRMSNorm returns a float32 layer for arrays whose last axes have the given shape; see NewLayerNorm.
func NewRMSNorm(env *nd.Env, shape ...int) *RMSNorm {
	checkAxes("NewRMSNorm", env, shape)
	defer named("NewRMSNorm")
	return &RMSNorm{epsilon, nd.FullIn(env, dtype.Float32, 1, shape...), len(shape)}
}

// Forward implements Layer.
func (l *RMSNorm) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("RMSNorm", c, x)
	return x.RMSNorm(c.Param(l.scale), -l.axes, l.Epsilon)
}

// Named implements Layer.
func (l *RMSNorm) Named() iter.Seq2[string, *nd.Array] {
	return func(yield func(string, *nd.Array) bool) { yield("scale", l.scale) }
}

// GroupNorm normalises groups of the channels of each sample, with all axes behind, to mean zero and variance one, then scales
// and shifts each channel (Wu and He, "Group normalization", 2018). It behaves the same in training and inference.
type GroupNorm struct {
	// Epsilon is added to the variance; see LayerNorm.
	Epsilon float64

	affine
	groups int
}

// NewGroupNorm returns a float32 layer for arrays of shape (samples, channels, axes...). As many groups as channels is instance
// normalisation. It panics with *nd.Error if a number is not positive, or groups does not divide channels.
func NewGroupNorm(env *nd.Env, groups, channels int) *GroupNorm {
	checkMaking("NewGroupNorm", env, 1, groups, channels)
	if channels%groups != 0 {
		mistake("NewGroupNorm", fault.ErrParameter, fmt.Sprintf("%d groups do not divide %d channels", groups, channels))
	}
	defer named("NewGroupNorm")
	return &GroupNorm{epsilon, newAffine(env, channels), groups}
}

// Forward implements Layer.
func (l *GroupNorm) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("GroupNorm", c, x)
	return x.GroupNorm(l.groups, c.Param(l.scale), c.Param(l.bias), l.Epsilon)
}
