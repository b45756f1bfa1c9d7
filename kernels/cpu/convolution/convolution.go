package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// Operands are the arrays of a convolution. Of a bias, for each channel of the result, the stride is the first; there is none if
// its Start is nil. Functions that return sizes look at strides and at what is nil alone.
type Operands struct{ Data, Result, Weights, Bias Tensor }

// ForwardScratch returns the bytes of temporary memory that Forward takes for at most so many workers.
func ForwardScratch[T Float](s *Shape, o *Operands, workers int) int {
	switch {
	case s.isEmpty(s.results()):
		return 0
	case s.isPointwise():
		p := newPointwise[T](s, o, false, nil)
		defer p.release()
		return p.scratch()
	case s.isSmallDepthwise(&o.Data, &o.Result):
		return 0
	case s.isWhole():
		return newWhole[T](s, o, toResult, nil).scratch()
	case s.isWinograd():
		return newWinograd[T](s, false, workers).scratch()
	}
	return forwardPass[T](s, o, workers).scratch()
}

// Forward computes the result of a convolution. The temporary memory has ForwardScratch bytes, best aligned to 64, with any
// contents.
func Forward[T Float](t *parallel.Thread, s *Shape, o *Operands, workers int, temporary unsafe.Pointer) {
	switch {
	case s.isEmpty(s.results()):
		return
	case s.isPointwise():
		p := newPointwise[T](s, o, false, temporary)
		p.run(t, o.Bias)
		p.release()
		return
	case s.isSmallDepthwise(&o.Data, &o.Result):
		d := depthwise[T]{family: best[T](), shape: s, write: &o.Result, read: &o.Data, weights: &o.Weights}
		if o.Bias.Start != nil {
			d.bias = &o.Bias
		}
		d.run(t)
		return
	case s.isWhole():
		newWhole[T](s, o, toResult, temporary).run(t)
		return
	case s.isWinograd():
		w := newWinograd[T](s, false, workers)
		w.write, w.read, w.weights = &o.Result, &o.Data, &o.Weights
		if o.Bias.Start != nil {
			w.bias = &o.Bias
		}
		w.run(t, temporary)
		return
	}
	p := forwardPass[T](s, o, workers).call()
	p.write, p.read, p.weights = o.Result, o.Data, o.Weights
	p.bias, p.biasStride = (*T)(o.Bias.Start), o.Bias.Strides[0]
	p.run(t, temporary)
	p.release()
}

// DataScratch returns the bytes of temporary memory that Data takes for at most so many workers.
func DataScratch[T Float](s *Shape, o *Operands, workers int) int {
	switch {
	case s.isEmpty(s.data()):
		return 0
	case s.isPointwise():
		p := newPointwise[T](s, o, true, nil)
		defer p.release()
		return p.scratch()
	case s.isSmallDepthwise(&o.Data, &o.Result):
		return 0
	case s.isWhole():
		return newWhole[T](s, o, toData, nil).scratch()
	case s.isWinograd():
		return newWinograd[T](s, true, workers).scratch()
	case s.isFolding():
		return newFolding[T](s, o, workers).scratch()
	}
	return backwardPass[T](s, workers).scratch()
}

// Data computes the gradient of the data from that of the result: each element of the data is the sum of all elements of the
// result that it contributes to, times the weights by which it does. The temporary memory has DataScratch bytes, best aligned
// to 64, with any contents.
func Data[T Float](t *parallel.Thread, s *Shape, o *Operands, workers int, temporary unsafe.Pointer) {
	switch {
	case s.isEmpty(s.data()):
		return
	case s.isPointwise():
		p := newPointwise[T](s, o, true, temporary)
		p.run(t, Tensor{})
		p.release()
		return
	case s.isSmallDepthwise(&o.Data, &o.Result):
		d := depthwise[T]{family: best[T](), shape: s, write: &o.Data, read: &o.Result, weights: &o.Weights, backward: true}
		d.run(t)
		return
	case s.isWhole():
		newWhole[T](s, o, toData, temporary).run(t)
		return
	case s.isWinograd():
		w := newWinograd[T](s, true, workers)
		w.write, w.read, w.weights = &o.Data, &o.Result, &o.Weights
		w.run(t, temporary)
		return
	case s.isFolding():
		newFolding[T](s, o, workers).run(t, temporary)
		return
	}
	p := backwardPass[T](s, workers).call()
	p.write, p.read, p.weights = o.Data, o.Result, o.Weights
	p.run(t, temporary)
	p.release()
}

// WeightsScratch returns the bytes of temporary memory that Weights takes for at most so many workers.
func WeightsScratch[T Float](s *Shape, o *Operands, workers int) int {
	switch {
	case s.Groups*s.Channels*s.Filters*s.taps() == 0:
		return 0
	case s.isPointwise():
		g := newPointwiseGradient[T](s, o, nil)
		defer g.release()
		return g.scratch()
	case s.isWhole():
		return newWhole[T](s, o, toWeights, nil).scratch()
	case s.isWinogradGradient():
		return newWinogradGradient[T](s, workers).scratch()
	case s.isDots(sizeOf[T]()):
		return newDotGradient[T](s, workers).scratch()
	}
	return newGradient[T](s, workers).scratch()
}

// Weights computes the gradient of the weights from the data and the gradient of the result: each weight's is the sum of all
// products of an element of the data and one of the result's gradient that meet through it. The temporary memory has
// WeightsScratch bytes, best aligned to 64, with any contents.
func Weights[T Float](t *parallel.Thread, s *Shape, o *Operands, workers int, temporary unsafe.Pointer) {
	switch {
	case s.Groups*s.Channels*s.Filters*s.taps() == 0:
		return
	case s.isPointwise():
		g := newPointwiseGradient[T](s, o, temporary)
		g.run(t, o.Weights)
		g.release()
		return
	case s.isWhole():
		newWhole[T](s, o, toWeights, temporary).run(t)
		return
	case s.isWinogradGradient():
		g := *newWinogradGradient[T](s, workers)
		g.weights, g.data, g.result = o.Weights, o.Data, o.Result
		g.run(t, temporary)
		return
	case s.isDots(sizeOf[T]()):
		g := *newDotGradient[T](s, workers)
		g.weights, g.data, g.result = o.Weights, o.Data, o.Result
		g.run(t, temporary)
		return
	}
	g := *newGradient[T](s, workers)
	g.weights, g.data, g.result = o.Weights, o.Data, o.Result
	g.run(t, temporary)
}

// isEmpty tells whether nothing is to be written, where that has so many elements in a channel.
func (s *Shape) isEmpty(elements int) bool { return s.Batch*s.Groups*elements == 0 }
