package nn

import (
	"fmt"
	"iter"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Conv is a convolution, or a transposed one, with a bias for each filter unless it is Unbiased.
type Conv struct {
	deferred
	weight     *nd.Array
	bias       *nd.Array // (filters,); nil without one
	windows    windows
	transposed bool
}

// NewConv1D returns a float32 layer from arrays of shape (samples, channels, length) to (samples, filters, …), by filters of
// the given length. See NewConv2D.
func NewConv1D(env *nd.Env, channels, filters, kernel int, options ...WindowOption) *Conv {
	return newConv(env, "NewConv1D", channels, filters, []int{kernel}, false, options)
}

// NewConv2D returns a float32 layer from images of shape (samples, channels, height, width) to (samples, filters, …, …), by
// filters that are so many elements high and wide. Weights are drawn from the generator of env, by [HeUniform]; the bias is
// zero. The channels may be Unknown. It panics with *nd.Error if a number is not positive, or the groups do not divide channels and
// filters.
func NewConv2D(env *nd.Env, channels, filters, kernel int, options ...WindowOption) *Conv {
	return newConv(env, "NewConv2D", channels, filters, []int{kernel, kernel}, false, options)
}

// NewConv3D returns a float32 layer from arrays of shape (samples, channels, depth, height, width) to (samples, filters, …, …, …), by cubic
// filters. See NewConv2D.
func NewConv3D(env *nd.Env, channels, filters, kernel int, options ...WindowOption) *Conv {
	return newConv(env, "NewConv3D", channels, filters, []int{kernel, kernel, kernel}, false, options)
}

// NewConvTranspose1D is NewConvTranspose2D for arrays of shape (samples, channels, length).
func NewConvTranspose1D(env *nd.Env, channels, filters, kernel int, options ...WindowOption) *Conv {
	return newConv(env, "NewConvTranspose1D", channels, filters, []int{kernel}, true, options)
}

// NewConvTranspose2D returns a float32 layer of the transposed convolution, from images of shape (samples, channels, height,
// width) to larger ones with as many channels as filters. See NewConv2D.
func NewConvTranspose2D(env *nd.Env, channels, filters, kernel int, options ...WindowOption) *Conv {
	return newConv(env, "NewConvTranspose2D", channels, filters, []int{kernel, kernel}, true, options)
}

// NewConvTranspose3D is NewConvTranspose2D for arrays of shape (samples, channels, depth, height, width).
func NewConvTranspose3D(env *nd.Env, channels, filters, kernel int, options ...WindowOption) *Conv {
	return newConv(env, "NewConvTranspose3D", channels, filters, []int{kernel, kernel, kernel}, true, options)
}

func newConv(env *nd.Env, name string, channels, filters int, kernel []int, transposed bool, options []WindowOption) *Conv {
	checkMaking(name, env, 1)
	c := &Conv{windows: windowsOf(name, options), transposed: transposed}
	mustNotHave(name, !transposed && c.windows.outputPadding != nil, "output padding")
	check := func(channels int) {
		groups := max(1, c.windows.groups)
		if channels < 1 || filters < 1 || slices.Min(kernel) < 1 || channels%groups != 0 || filters%groups != 0 {
			mistake(name, fault.ErrParameter, fmt.Sprintf(
				"%d channels to %d filters of %v elements in %d groups (legal: positive numbers, channels and filters divided by the groups)", channels, filters, kernel, groups))
		}
	}
	if channels == Unknown {
		check(max(1, c.windows.groups)) // the rest of it
	}
	c.later(name, channels, func(channels int) {
		check(channels)
		c.makeParameters(env, channels, filters, kernel)
	})
	return c
}

// makeParameters makes the parameters.
func (c *Conv) makeParameters(env *nd.Env, channels, filters int, kernel []int) {
	groups := max(1, c.windows.groups)
	shape := append([]int{filters, channels / groups}, kernel...)
	if c.transposed {
		shape[0], shape[1] = channels, filters/groups
	}
	inputs, outputs := c.terms(shape)
	c.weight = HeUniform(env, inputs, outputs, shape...)
	if !c.windows.unbiased {
		c.bias = nd.ZerosIn(env, dtype.Float32, filters)
	}
}

// Forward implements Layer.
func (c *Conv) Forward(x *Ctx, images *nd.Array) *nd.Array {
	checkForward("Conv", x, images)
	c.ready("Conv.Forward", images, 1)
	w := c.windows
	if !c.transposed {
		p := nd.ConvParams{Stride: w.stride, Padding: w.padding, Dilation: w.dilation, Groups: w.groups}
		return images.Conv(x.Param(c.weight), c.biasIn(x), p)
	}
	p := nd.ConvTransposeParams{Stride: w.stride, Padding: w.padding, Dilation: w.dilation, Groups: w.groups, OutputPadding: w.outputPadding}
	flow := between{array: images}
	flow.pass(images.ConvTranspose(x.Param(c.weight), p), true)
	if c.bias != nil {
		shape := slices.Repeat([]int{1}, flow.array.Rank())
		shape[1] = c.bias.Count()
		flow.pass(flow.array.Add(x.Param(c.bias).Reshape(shape...)), true)
	}
	return flow.array
}

// biasIn returns the handle on the bias to compute with, nil without one.
func (c *Conv) biasIn(x *Ctx) *nd.Array {
	if c.bias == nil {
		return nil
	}
	return x.Param(c.bias)
}

// pools tells whether the layer and the maxima of windows that follow it are one operator: of images, windows beside one another, where
// there is a kernel for that. GPUs have one for each layer.
func (c *Conv) pools(images *nd.Array, next *Pool) bool {
	w := next.window
	if images.Rank() != 4 || len(w.Kernel) != 2 {
		return false
	}
	isBeside := len(w.Stride) == 0 || len(w.Stride) <= 2 && w.Stride[0] == w.Kernel[0] && w.Stride[len(w.Stride)-1] == w.Kernel[1]
	return images.Device().OnHost() && next.isMax && isBeside && !c.transposed && !c.windows.unbiased && len(w.Padding) == 0 && len(w.Dilation) == 0
}

// forwardMaxima is Forward, and the maxima of windows over its result, with Relu if they are rectified.
func (c *Conv) forwardMaxima(x *Ctx, images *nd.Array, next *Pool, rectified bool) *nd.Array {
	checkForward("Conv", x, images)
	c.ready("Conv.Forward", images, 1)
	w := c.windows
	p := nd.ConvMaxPoolParams{Stride: w.stride, Padding: w.padding, Dilation: w.dilation, Groups: w.groups, Window: next.window.Kernel, Rectified: rectified}
	return images.ConvMaxPool(x.Param(c.weight), x.Param(c.bias), p)
}

// Named implements Layer.
func (c *Conv) Named() iter.Seq2[string, *nd.Array] {
	c.must("Conv")
	return func(yield func(string, *nd.Array) bool) {
		_ = yield("weight", c.weight) && c.bias != nil && yield("bias", c.bias)
	}
}
