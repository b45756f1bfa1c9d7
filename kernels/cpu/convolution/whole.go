package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// isWhole tells whether a filter meets all of an image at once, each element through one of its own: products of matrices, of images
// and filters that are rows, as in a layer that is fully connected.
func (s *Shape) isWhole() bool {
	for _, a := range s.Axes {
		if a.Result != 1 || a.Kernel != a.Data || a.Before != 0 || a.Dilation != 1 && a.Kernel > 1 {
			return false
		}
	}
	return !s.isDepthwise()
}

// rows is an array whose rows, for each group of an image, or each filter, have adjacent elements.
type rows[T Float] struct {
	Tensor
	of    Tensor // what it is a copy of, if any
	bytes int    // of the copy
	shape [5]int
}

// newRows returns x as rows of channels and taps, a copy if need be, whose memory is taken from temporary.
func newRows[T Float](s *Shape, x Tensor, count, channels int, temporary *unsafe.Pointer) rows[T] {
	r := rows[T]{Tensor: x, shape: [5]int{count, channels, s.Axes[0].Kernel, s.Axes[1].Kernel, s.Axes[2].Kernel}}
	covered, adjacent := 1, true
	for axis := 4; axis > 0; axis-- {
		if n := r.shape[axis]; n > 1 {
			adjacent = adjacent && x.Strides[axis] == covered
			covered *= n
		}
	}
	if !adjacent {
		r.copyIn([5]int{channels * s.taps(), s.taps(), r.shape[3] * r.shape[4], r.shape[4], 1}, temporary)
	}
	return r
}

// copyIn makes r a copy with such strides, without what is copied.
func (r *rows[T]) copyIn(strides [5]int, temporary *unsafe.Pointer) {
	r.of, r.bytes = r.Tensor, roundUp(r.shape[0]*strides[0]*sizeOf[T](), 64)
	r.Tensor = Tensor{*temporary, strides}
	*temporary = offset(*temporary, r.bytes)
}

// copied copies the elements between x and the copy of it, if there is one: to the copy, or back.
func (r *rows[T]) copied(t *parallel.Thread, back bool) {
	if r.bytes == 0 {
		return
	}
	to, from := &r.Tensor, &r.of
	if back {
		to, from = from, to
	}
	copyTensor[T](t, to, from, r.shape)
}

// whole is a convolution of which isWhole holds, or one of its gradients.
type whole[T Float] struct {
	shape                 *Shape
	target                target
	data, weights, result rows[T]
	bias                  Tensor
	temporary             unsafe.Pointer
}

func newWhole[T Float](s *Shape, o *Operands, to target, temporary unsafe.Pointer) *whole[T] {
	w := &whole[T]{shape: s, target: to}
	w.data = newRows[T](s, o.Data, s.Batch, s.Groups*s.Channels, &temporary)
	w.weights = newRows[T](s, o.Weights, s.Groups*s.Filters, s.Channels, &temporary)
	filters := s.Groups * s.Filters
	w.result = rows[T]{Tensor: o.Result, shape: [5]int{s.Batch, filters, 1, 1, 1}}
	if to == toResult {
		w.bias = o.Bias
		if o.Result.Strides[0] != 1 && o.Result.Strides[1] != 1 {
			w.result.copyIn([5]int{filters, 1, 1, 1, 1}, &temporary)
		}
	}
	w.temporary = temporary
	return w
}

// product returns that of a group.
func (w *whole[T]) product(group int) gemm.Product[T] {
	s, size := w.shape, sizeOf[T]()
	terms, filters := s.Channels*s.taps(), s.Filters
	at := func(x *rows[T], element, row, column int) gemm.Matrix {
		return gemm.Matrix{Start: offset(x.Start, element*size), RowStride: row, ColumnStride: column}
	}
	data := at(&w.data, group*terms, w.data.Strides[0], 1)
	weights := at(&w.weights, group*filters*w.weights.Strides[0], w.weights.Strides[0], 1)
	result := at(&w.result, group*filters*w.result.Strides[1], w.result.Strides[0], w.result.Strides[1])
	switch w.target {
	case toData:
		return gemm.Product[T]{M: s.Batch, N: terms, K: filters, Alpha: 1, A: result, B: weights, C: data}
	case toWeights:
		return gemm.Product[T]{M: filters, N: terms, K: s.Batch, Alpha: 1, A: result.Transposed(), B: data, C: weights}
	}
	p := gemm.Product[T]{M: s.Batch, N: filters, K: terms, Alpha: 1, A: data, B: weights.Transposed(), C: result}
	if w.bias.Start != nil {
		p.Finish.Plus[0] = gemm.Matrix{Start: offset(w.bias.Start, group*filters*w.bias.Strides[0]*size), ColumnStride: w.bias.Strides[0]}
	}
	return p
}

// scratch returns the bytes of temporary memory, and some, so that no address is behind the end.
func (w *whole[T]) scratch() int {
	return w.data.bytes + w.weights.bytes + w.result.bytes + w.product(0).Scratch() + 64
}

// written is what the products are.
func (w *whole[T]) written() *rows[T] {
	switch w.target {
	case toData:
		return &w.data
	case toWeights:
		return &w.weights
	}
	return &w.result
}

func (w *whole[T]) run(t *parallel.Thread) {
	written := w.written()
	for _, x := range []*rows[T]{&w.data, &w.weights, &w.result} {
		if x != written {
			x.copied(t, false)
		}
	}
	for group := range w.shape.Groups {
		w.product(group).Run(t, w.temporary)
	}
	written.copied(t, true)
}
