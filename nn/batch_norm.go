package nn

import (
	"iter"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// BatchNorm normalises each channel over a batch to mean zero and variance one, then scales and shifts it (Ioffe and Szegedy,
// "Batch normalization", 2015). In training it also moves running averages of the means and of the unbiased variances
// toward those of the batch; in inference it uses these instead. A batch of fewer than two elements
// of a channel has no unbiased variance and leaves the averages alone.
type BatchNorm struct {
	// Epsilon is added to the variance; see LayerNorm.
	Epsilon float64
	// Momentum is the part of the distance to those of a batch by which the running averages move, a tenth unless the
	// program sets another number from 0 to 1, before Forward: PyTorch's momentum, 1 less that of Keras.
	Momentum float64

	deferred
	affine
	means, variances *nd.Array
}

// NewBatchNorm returns a float32 layer for arrays of shape (samples, channels, axes...). The channels may be Unknown. It panics with
// *nd.Error if their number is not positive.
func NewBatchNorm(env *nd.Env, channels int) *BatchNorm {
	if channels != Unknown {
		checkMaking("NewBatchNorm", env, 1, channels)
	}
	checkMaking("NewBatchNorm", env, 1)
	l := &BatchNorm{Epsilon: epsilon, Momentum: 0.1}
	l.later("NewBatchNorm", channels, func(channels int) {
		l.affine = newAffine(env, channels)
		l.means, l.variances = nd.ZerosIn(env, dtype.Float32, channels), nd.FullIn(env, dtype.Float32, 1, channels)
	})
	return l
}

// Named implements Layer.
func (l *BatchNorm) Named() iter.Seq2[string, *nd.Array] {
	l.must("BatchNorm")
	return l.affine.Named()
}

// Running returns the running averages of the means and variances, each of shape (channels,). They are no parameters: what
// saves a model saves them too.
func (l *BatchNorm) Running() (means, variances *nd.Array) {
	l.must("BatchNorm")
	return l.means, l.variances
}

// NamedState implements Stateful.
func (l *BatchNorm) NamedState() iter.Seq2[string, *nd.Array] {
	l.must("BatchNorm")
	return func(yield func(string, *nd.Array) bool) {
		_ = yield("means", l.means) && yield("variances", l.variances)
	}
}

// Forward implements Layer.
func (l *BatchNorm) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("BatchNorm", c, x)
	l.ready("BatchNorm.Forward", x, 1)
	scale, bias := c.Param(l.scale), c.Param(l.bias)
	if !c.Train {
		return x.BatchNormInference(scale, bias, l.means, l.variances, l.Epsilon)
	}
	y, means, variances := x.BatchNorm(scale, bias, l.Epsilon)
	if c.Changes != nil {
		c.Changes(l.means)
		c.Changes(l.variances)
	}
	if count := x.Count() / max(1, l.means.Count()); count > 1 {
		l.follow(l.means, means, 1)
		l.follow(l.variances, variances, float64(count)/float64(count-1))
	}
	return y
}

// follow moves average toward value times factor.
func (l *BatchNorm) follow(average, value *nd.Array, factor float64) {
	if value.DType() != average.DType() {
		value = value.Cast(average.DType())
	}
	p := ops.RunningAverageParams{Momentum: l.Momentum, Factor: factor}
	nd.Invoke(ops.RunningAverage, p, average, value)
}
