package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// Band is some rows of a plane of a convolution's result, of a filter of an image; planes are numbered by images and then by
// filters. The elements are in row-major order.
type Band[T Float] struct {
	Plane, Row int // and the first row
	Elements   []T
}

// TakesBands tells whether ForwardBands computes such convolutions: those with at most two axes that have no faster algorithm.
func (s *Shape) TakesBands() bool {
	return s.Axes[0] == NoAxis && !s.isPointwise() && !s.isWhole() && !s.isDepthwise() && !s.isWinograd()
}

// BandsScratch returns the bytes of temporary memory that ForwardBands takes for at most so many workers.
func BandsScratch[T Float](s *Shape, grain, workers int) int {
	if s.isEmpty(s.results()) {
		return 0
	}
	return newPass[T](s, toResult, grain, workers, false).scratch()
}

// ForwardBands computes the result of a convolution and gives it to take, band by band, in any order and from several goroutines at a
// time, with the bits of Forward; take may change the elements, which are its own until it returns. A band begins at a multiple of
// grain rows and ends at another, or with the plane. What o says of the result is not looked at.
func ForwardBands[T Float](t *parallel.Thread, s *Shape, o *Operands, grain, workers int, temporary unsafe.Pointer, take func(band Band[T])) {
	if s.isEmpty(s.results()) {
		return
	}
	p := newPass[T](s, toResult, grain, workers, false).call()
	p.take = take
	p.read, p.weights = o.Data, o.Weights
	p.bias, p.biasStride = (*T)(o.Bias.Start), o.Bias.Strides[0]
	p.run(t, temporary)
	p.release()
}
