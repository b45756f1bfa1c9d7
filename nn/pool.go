package nn

import (
	"fmt"
	"iter"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Pool2D is a layer that pools windows of the last two axes of arrays of shape (samples, channels, height, width).
type Pool2D struct {
	window nd.Pool
	pool   func(x *nd.Array, window nd.Pool) *nd.Array
	isMax  bool
}

func newPool2D(name string, size int, pool func(*nd.Array, nd.Pool) *nd.Array, options []WindowOption) *Pool2D {
	w := windowsOf(name, options)
	if size < 1 {
		mistake(name, fault.ErrParameter, fmt.Sprintf("the size of the window is %d (legal: from 1)", size))
	}
	w.mustNotHave(name, w.groups != 0, "groups")
	w.mustNotHave(name, w.outputPadding != nil, "output padding")
	return &Pool2D{nd.Pool{Kernel: []int{size, size}, Strides: w.stride, Padding: w.padding, Dilations: w.dilation}, pool, false}
}

// NewMaxPool2D returns a layer that takes the maximum of square windows of the given size. It panics with *nd.Error if that is
// not positive, and Forward if they do not fit.
func NewMaxPool2D(size int, options ...WindowOption) *Pool2D {
	p := newPool2D("NewMaxPool2D", size, (*nd.Array).MaxPool, options)
	p.isMax = true
	return p
}

// NewAvgPool2D returns a layer that takes the mean of square windows of the given size, without the padding. Forward panics with
// *nd.Error if they do not fit.
func NewAvgPool2D(size int, options ...WindowOption) *Pool2D {
	return newPool2D("NewAvgPool2D", size, (*nd.Array).AveragePool, options)
}

// commutesWithRelu tells whether relu gives the same before and after the layer. The largest of some numbers that are not below
// zero is the largest of all if that is not below zero, and zero otherwise; but windows over nothing but padding have −Inf.
func (p *Pool2D) commutesWithRelu() bool {
	isWhole := func(padding int) bool { return padding >= p.window.Kernel[0] }
	return p.isMax && len(p.window.Dilations) == 0 && !slices.ContainsFunc(p.window.Padding, isWhole)
}

// Forward implements Layer.
func (p *Pool2D) Forward(c *Ctx, x *nd.Array) *nd.Array {
	checkForward("Pool2D", c, x)
	return p.pool(x, p.window)
}

// Named implements Layer: there are no parameters.
func (*Pool2D) Named() iter.Seq2[string, *nd.Array] { return func(func(string, *nd.Array) bool) {} }

// GlobalAvgPool2D takes the mean of each channel of each sample: arrays (samples, channels, height, width) become (samples,
// channels).
var GlobalAvgPool2D = Func(func(x *nd.Array) *nd.Array { return x.Mean(2, 3) })

// GlobalMaxPool2D takes the maximum of each channel of each sample: arrays (samples, channels, height, width) become (samples,
// channels).
var GlobalMaxPool2D = Func(func(x *nd.Array) *nd.Array { return x.Max(2, 3) })
