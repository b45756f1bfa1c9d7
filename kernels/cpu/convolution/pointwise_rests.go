package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// rests are the last pixels of images that fill no panel of a product of matrices: those of several images are multiplied side by side.
type rests[T Float] struct {
	pixels int // of each image, and 0 if they are multiplied with the others
	images int // side by side
	bytes  int // of the copies of all images, of what is read and of what is written
	memory unsafe.Pointer
}

// restProducts is how many multiplications there are to be for each element that is copied. Tests make it smaller.
var restProducts = 64

// restsOf returns the rests of a convolution; adjacent tells whether the pixels of what it reads are. Images of a
// single pixel stay products of their own, which have other bits.
func restsOf[T Float](s *Shape, outer, inner int, adjacent bool) (r rests[T]) {
	panel := gemm.PanelColumns[T](outer)
	pixels := s.data() % panel
	if !adjacent || s.Batch < 2 || s.data() == 1 || 4*pixels > 3*panel || outer*inner < restProducts*(outer+inner) {
		return r
	}
	r.pixels, r.images = pixels, panel
	for r.images > 1 && r.images%2 == 0 && r.images/2*pixels%panel == 0 { // Panels are whole.
		r.images /= 2
	}
	r.bytes = roundUp(s.Batch*s.Groups*(outer+inner)*pixels*sizeOf[T](), 64)
	return r
}

// run multiplies the rests of a pointwise convolution.
func (r *rests[T]) run(t *parallel.Thread, p *pointwise[T]) {
	if r.pixels == 0 {
		return
	}
	s, f, size := p.shape, best[T](), sizeOf[T]()
	rounds := (s.Batch-2)/r.images + 1    // A last image joins those before it: its only pixel would be a single column, which has other bits.
	first := (s.data() - r.pixels) * size // of each row
	work := gemm.Nanoseconds[T](2 * int64(p.outer) * int64(p.inner) * int64(r.images*r.pixels))
	threads := max(1, t.NumThreads()/(rounds*s.Groups)) // for each round
	t.ForCost(rounds*s.Groups, work, func(t *parallel.Thread, lo, hi int) {
		_ = t.SetNumThreads(threads)
		for number := lo; number < hi; number++ {
			group, round := number%s.Groups, number/s.Groups
			from, to := round*r.images, (round+1)*r.images
			if round == rounds-1 {
				to = s.Batch
			}
			columns := (to - from) * r.pixels
			read := unsafe.Add(r.memory, (from*s.Groups+(to-from)*group)*(p.outer+p.inner)*r.pixels*size)
			written := unsafe.Add(read, p.inner*columns*size)
			a, b, c := p.product.Offsets(from*s.Groups + group)
			data := unsafe.Add(p.product.B.Start, b*size+first)
			result := unsafe.Add(p.product.C.Start, c*size+first)
			for image := range to - from {
				copyLines(f, lines{unsafe.Add(read, image*r.pixels*size), columns * size, size},
					lines{unsafe.Add(data, image*p.from.Strides[0]*size), p.from.Strides[1] * size, size}, r.pixels, p.inner)
			}
			weights := p.product.A
			weights.Start = unsafe.Add(weights.Start, a*size)
			gemm.Product[T]{
				M: p.outer, N: columns, K: p.inner, Alpha: 1,
				A: weights,
				B: gemm.Matrix{Start: read, RowStride: columns, ColumnStride: 1},
				C: gemm.Matrix{Start: written, RowStride: columns, ColumnStride: 1},
			}.Run(t, nil)
			for image := range to - from {
				copyLines(f, lines{unsafe.Add(result, image*p.to.Strides[0]*size), p.to.Strides[1] * size, size},
					lines{unsafe.Add(written, image*r.pixels*size), columns * size, size}, r.pixels, p.outer)
			}
		}
	})
}
