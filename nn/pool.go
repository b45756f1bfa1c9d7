package nn

import (
	"fmt"
	"iter"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Pool is a layer that pools windows of the axes behind the first two of arrays of shape (samples, channels, axes...).
type Pool struct {
	window nd.PoolParams
	pool   func(x *nd.Array, window nd.PoolParams) *nd.Array
	isMax  bool
}

// NewMaxPool1D is NewMaxPool2D for arrays of shape (samples, channels, length).
func NewMaxPool1D(size int, options ...WindowOption) *Pool {
	return newMaxPool("NewMaxPool1D", 1, size, options)
}

// NewMaxPool2D returns a layer that takes the maximum of windows of the given size along each axis, of arrays of shape
// (samples, channels, height, width). It panics with *nd.Error if the size is not positive, and Forward if windows do
// not fit.
func NewMaxPool2D(size int, options ...WindowOption) *Pool {
	return newMaxPool("NewMaxPool2D", 2, size, options)
}

// NewMaxPool3D is NewMaxPool2D for arrays of shape (samples, channels, depth, height, width).
func NewMaxPool3D(size int, options ...WindowOption) *Pool {
	return newMaxPool("NewMaxPool3D", 3, size, options)
}

// NewAveragePool1D is NewAveragePool2D for arrays of shape (samples, channels, length).
func NewAveragePool1D(size int, options ...WindowOption) *Pool {
	return newPool("NewAveragePool1D", 1, size, (*nd.Array).AveragePool, options)
}

// NewAveragePool2D returns a layer that takes the mean of windows of the given size along each axis, without the
// padding, of arrays of shape (samples, channels, height, width). It panics with *nd.Error if the size is not positive,
// and Forward if windows do not fit.
func NewAveragePool2D(size int, options ...WindowOption) *Pool {
	return newPool("NewAveragePool2D", 2, size, (*nd.Array).AveragePool, options)
}

// NewAveragePool3D is NewAveragePool2D for arrays of shape (samples, channels, depth, height, width).
func NewAveragePool3D(size int, options ...WindowOption) *Pool {
	return newPool("NewAveragePool3D", 3, size, (*nd.Array).AveragePool, options)
}

func newMaxPool(name string, axes, size int, options []WindowOption) *Pool {
	p := newPool(name, axes, size, (*nd.Array).MaxPool, options)
	p.isMax = true
	return p
}

func newPool(name string, axes, size int, pool func(*nd.Array, nd.PoolParams) *nd.Array, options []WindowOption) *Pool {
	w := windowsOf(name, options)
	if size < 1 {
		mistake(name, fault.ErrParameter, fmt.Sprintf("the size of the window is %d (legal: from 1)", size))
	}
	mustNotHave(name, w.groups != 0, "groups")
	mustNotHave(name, w.unbiased, "bias to leave out")
	mustNotHave(name, w.outputPadding != nil, "output padding")
	window := nd.PoolParams{Kernel: slices.Repeat([]int{size}, axes), Stride: w.stride, Padding: w.padding, Dilation: w.dilation}
	return &Pool{window, pool, false}
}

// commutesWithRelu tells whether relu gives the same before and after the layer, of x. The largest of some numbers that are not below
// zero is the largest of all if that is not below zero, and zero otherwise; but windows over nothing but padding have −Inf.
func (p *Pool) commutesWithRelu(x *nd.Array) bool {
	isWhole := func(padding int) bool { return padding >= p.window.Kernel[0] }
	return p.isMax && !slices.Contains(x.Shape(), 0) && len(p.window.Dilation) == 0 && !slices.ContainsFunc(p.window.Padding, isWhole)
}

// Forward implements Layer.
func (p *Pool) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("Pool", c, x)
	return p.pool(x, p.window)
}

// Named implements Layer: there are no parameters.
func (*Pool) Named() iter.Seq2[string, *nd.Array] { return func(func(string, *nd.Array) bool) {} }

// GlobalAveragePool2D takes the mean of each channel of each sample: arrays (samples, channels, height, width) become (samples,
// channels).
var GlobalAveragePool2D = Func(func(x *nd.Array) *nd.Array { return x.Mean(2, 3) })

// GlobalMaxPool2D takes the maximum of each channel of each sample: arrays (samples, channels, height, width) become (samples,
// channels).
var GlobalMaxPool2D = Func(func(x *nd.Array) *nd.Array { return x.Max(2, 3) })
