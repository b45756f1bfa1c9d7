package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// BatchNormParams are the parameters of batch_norm.
type BatchNormParams struct {
	Epsilon float64 `doc:"what is added to the variance" default:"1e-5" min:"0"`
}

// GroupNormParams are the parameters of group_norm.
type GroupNormParams struct {
	Groups  int     `doc:"groups that the channels are divided into; as many as channels normalise each by itself" default:"1" min:"1"`
	Epsilon float64 `doc:"what is added to the variance" default:"1e-5" min:"0"`
}

// Normalisation with one scale and bias for each channel: axis 1 of x, which has two or more. Sums are made in float64, also
// of float32 elements.
var (
	// Ioffe and Szegedy, "Batch normalization: accelerating deep network training by reducing internal covariate shift", ICML 2015.
	BatchNorm = channelNorm("batch_norm", "(x − mean) / √(variance + ε) · scale + bias, mean and variance over all axes but 1; then that mean, and the variance", BatchNormParams{}, func(r *Rule) {
		if r.UpstreamOf(0) != nil {
			for i, g := range r.ApplyAll("batch_norm_gradient", r.Params(), r.Input(0), r.Input(1), r.Upstream()) {
				r.Set(i, g)
			}
		}
		r.ofMoments(r.UpstreamOf(1), r.UpstreamOf(2))
	})
	BatchNormGradient = channelNormGradient("batch_norm_gradient", "gradients of batch_norm with respect to x, scale and bias", BatchNormParams{})

	// Wu and He, "Group normalization", ECCV 2018; with one channel in a group, Ulyanov, Vedaldi and Lempitsky, "Instance
	// normalization", 2016, arXiv:1607.08022.
	GroupNorm = channelNorm("group_norm", "(x − mean) / √(variance + ε) · scale + bias, mean and variance over the channels of a group and the axes behind", GroupNormParams{}, func(r *Rule) {
		for i, g := range r.ApplyAll("group_norm_gradient", r.Params(), r.Input(0), r.Input(1), r.Upstream()) {
			r.Set(i, g)
		}
	})
	GroupNormGradient = channelNormGradient("group_norm_gradient", "gradients of group_norm with respect to x, scale and bias", GroupNormParams{})
)

// channelNormSamples returns calls with a third operand of the shape that third gives.
func channelNormSamples(params any, third func(x []int) []int) (samples []Sample) {
	groups := func(n int, epsilon float64) any {
		if _, batch := params.(BatchNormParams); batch {
			return BatchNormParams{epsilon}
		}
		return GroupNormParams{n, epsilon}
	}
	for _, s := range []struct {
		x      []int
		params any
	}{
		{[]int{3, 4, 2}, groups(2, 1e-5)}, {[]int{4, 3}, groups(1, 1e-3)}, {[]int{2, 4, 3, 5}, groups(4, 0.1)}, {[]int{2, 6, 3, 11, 2}, groups(2, 1e-5)},
		{[]int{3, 2, 0}, groups(1, 1e-5)}, {[]int{0, 2, 3}, groups(2, 1e-5)}, {[]int{2, 0, 3}, groups(1, 1e-5)},
	} {
		samples = append(samples, Sample{[][]int{s.x, s.x[1:2], third(s.x)}, s.params})
	}
	return samples
}

func channelNorm(name, doc string, params any, gradient func(r *Rule)) *Operator {
	return Register(&Operator{
		Name: name, Doc: doc, Inputs: []string{"x", "scale", "bias"}, Params: params, Accepts: floating, Convert: toCommonFloat,
		Saves: SaveInput(0) | SaveInput(1),
		Infer: func(c *Call) {
			channels := checkChannels(c)
			c.checkShape(2, channels)
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
			if _, batch := c.Params.(BatchNormParams); batch {
				c.Output(c.Inputs[0].DType, slices.Clone(channels))
				c.Output(c.Inputs[0].DType, slices.Clone(channels))
			}
		},
		Lower:    func(c *Call, l *Lowered) { lowerChannelNorm(c, l, &l.Inputs[0], &l.Outputs[0]) },
		Work:     perOperandElement,
		Gradient: gradient,
		Samples:  channelNormSamples(params, func(x []int) []int { return x[1:2] }),
	})
}

func channelNormGradient(name, doc string, params any) *Operator {
	return Register(&Operator{
		Name: name, Doc: doc, Inputs: []string{"x", "scale", "upstream"}, Params: params, Accepts: floating, Convert: toCommonFloat, Saves: SaveInputs,
		Infer: func(c *Call) {
			channels := checkChannels(c)
			c.checkShape(2, c.Inputs[0].Shape)
			c.Output(c.Inputs[0].DType, c.Inputs[0].Shape)
			c.Output(c.Inputs[0].DType, slices.Clone(channels))
			c.Output(c.Inputs[0].DType, slices.Clone(channels))
		},
		Lower: func(c *Call, l *Lowered) { lowerChannelNorm(c, l, &l.Inputs[0], &l.Inputs[2], &l.Outputs[0]) },
		Work:  perOperandElement,
		Gradient: func(r *Rule) {
			shape := r.Shape(0)
			scale, axes := []int{shape[1]}, []int{0}
			epsilon := 0.0
			switch p := r.Params().(type) {
			case BatchNormParams:
				epsilon = p.Epsilon
			case GroupNormParams:
				epsilon = p.Epsilon
				shape = splitChannels(shape, p.Groups)
				scale, axes = slices.Clone(shape[1:3]), []int{2}
			}
			for axis := len(scale) + 1; axis < len(shape); axis++ {
				scale, axes = append(scale, 1), append(axes, axis)
			}
			r.normalised(shape, scale, axes, true, epsilon)
		},
		Samples: channelNormSamples(params, func(x []int) []int { return x }),
	})
}

// ofMoments adds to the gradient of x what comes by way of the means and variances of channels; nil adds nothing.
func (r *Rule) ofMoments(ofMean, ofVariance Value) {
	shape := r.Shape(0)
	axes, kept, count := []int{0}, []int{shape[1]}, shape[0]
	for axis := 2; axis < len(shape); axis++ {
		axes, kept, count = append(axes, axis), append(kept, 1), count*shape[axis]
	}
	add := func(g Value) {
		if r.results[0] != nil {
			g = r.Add(r.results[0], g)
		}
		r.Set(0, g)
	}
	if ofMean != nil {
		add(r.BroadcastTo(r.Scale(r.Reshape(ofMean, kept), 1/float64(max(count, 1))), shape))
	}
	if ofVariance != nil {
		x := r.Input(0)
		centred := r.Sub(x, r.Apply("mean", ReduceParams{Axes: axes, KeepDims: true}, x))
		add(r.Mul(centred, r.Scale(r.Reshape(ofVariance, kept), 2/float64(max(count, 1)))))
	}
}

// checkChannels returns the shape of what each channel has one of. It fails unless scale has it.
func checkChannels(c *Call) []int {
	shape := c.Inputs[0].Shape
	if len(shape) < 2 {
		c.Fail(fault.ErrShape, "x "+fault.FormatShape(shape)+" has no axis 1, of channels")
	}
	c.checkShape(1, shape[1:2])
	if p, grouped := c.Params.(GroupNormParams); grouped && shape[1]%p.Groups != 0 {
		c.Fail(fault.ErrShape, fmt.Sprintf("%d channels do not make %d equal groups", shape[1], p.Groups))
	}
	return shape[1:2]
}

// splitChannels returns shape with axis 1 divided into groups.
func splitChannels(shape []int, groups int) []int {
	return slices.Concat(shape[:1], []int{groups, shape[1] / groups}, shape[2:])
}

// lowerChannelNorm puts the axes that blocks of the kernel are counted by before all others.
func lowerChannelNorm(c *Call, l *Lowered, views ...*storage.View) {
	p, grouped := c.Params.(GroupNormParams)
	for _, v := range views {
		if !grouped {
			axes := []int{1, 0}
			for axis := 2; axis < len(v.Shape); axis++ {
				axes = append(axes, axis)
			}
			*v = v.Permute(axes)
			continue
		}
		v.Shape = splitChannels(v.Shape, p.Groups)
		v.Strides = slices.Insert(slices.Clone(v.Strides), 1, v.Strides[1]*v.Shape[2])
	}
	if grouped {
		l.Integers, l.Scalars = []int64{2, int64(p.Groups)}, []float64{p.Epsilon}
	} else {
		l.Integers, l.Scalars = []int64{1, 0}, []float64{c.Params.(BatchNormParams).Epsilon}
	}
}
