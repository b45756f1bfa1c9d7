package convolution

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// Sparse is the gradient of a convolution's result that is zero but in some places: what has been taken from each plane, of a
// filter of an image, by pooling. Planes are numbered by images and then by filters.
type Sparse[T Float] struct {
	// Reader returns a function, for one goroutine, that gives the elements of a plane and where these are among the plane's elements
	// in row-major order: −1 is nowhere, and elements in the same place are added. What it returns is there until the next call.
	Reader func() func(plane int) (elements []T, places []int32)
	// Count is how many elements a plane has.
	Count int
}

// ErrPlace is the error of a place that is neither in a plane of the result nor −1.
var ErrPlace = errors.New("convolution: there is no such place in a plane")

// failure tells whether there has been a place that is none.
type failure struct{ happened atomic.Bool }

func (f *failure) note() { f.happened.Store(true) }

func (f *failure) err() error {
	if f.happened.Load() {
		return ErrPlace
	}
	return nil
}

// WithDense returns the operands with the result, or its gradient, dense in memory of DenseBytes bytes.
func WithDense[T Float](s *Shape, o *Operands, memory unsafe.Pointer) *Operands {
	dense := *o
	columns := s.Axes[2].Result
	dense.Result = Tensor{memory, [5]int{s.Groups * s.Filters * s.results(), s.results(), s.Axes[1].Result * columns, columns, 1}}
	return &dense
}

// DenseBytes is the bytes of a dense result.
func DenseBytes[T Float](s *Shape) int {
	return roundUp(s.Batch*s.Groups*s.Filters*s.results()*sizeOf[T](), 64)
}

// BehindDense returns where the further bytes of temporary memory begin that has a dense result first; nil if there are none, for they
// would begin behind all memory.
func BehindDense[T Float](s *Shape, temporary unsafe.Pointer, bytes int) unsafe.Pointer {
	if bytes == 0 {
		return nil
	}
	return unsafe.Add(temporary, DenseBytes[T](s))
}

// unpool writes a sparse gradient to a dense one.
func unpool[T Float](t *parallel.Thread, s *Shape, sparse *Sparse[T], dense unsafe.Pointer, failure *failure) {
	size, results := sizeOf[T](), s.results()
	t.ForCost(s.Batch*s.Groups*s.Filters, float64(results)/4+float64(2*sparse.Count), func(_ *parallel.Thread, lo, hi int) {
		read := sparse.Reader()
		for plane := lo; plane < hi; plane++ {
			to := unsafe.Slice((*T)(unsafe.Add(dense, plane*results*size)), results)
			clear(to)
			elements, places := read(plane)
			for i, place := range places {
				switch {
				case uint(place) < uint(results):
					to[place] += elements[i]
				case place != -1:
					failure.note()
				}
			}
		}
	})
}
