package convolution

import (
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// SparseWeightsScratch returns the bytes of temporary memory that SparseWeights takes for at most so many workers and elements in a
// plane.
func SparseWeightsScratch[T Float](s *Shape, o *Operands, count, workers int) int {
	if s.Groups*s.Channels*s.Filters*s.taps() == 0 {
		return 0
	}
	if !s.isSparse(count, sizeOf[T]()) {
		return DenseBytes[T](s) + WeightsScratch[T](s, WithDense[T](s, o, nil), workers)
	}
	return newSparseWeights[T](s, count, workers).scratch()
}

// SparseWeights is Weights for a gradient of the result that is zero in most places; what o says of the result is not looked at.
// Elements that are zero count nothing, even times what is not finite. The error is ErrPlace.
func SparseWeights[T Float](t *parallel.Thread, s *Shape, o *Operands, sparse *Sparse[T], workers int, temporary unsafe.Pointer) error {
	var f failure
	if s.Groups*s.Channels*s.Filters*s.taps() == 0 {
		return nil
	}
	if !s.isSparse(sparse.Count, sizeOf[T]()) {
		unpool(t, s, sparse, temporary, &f)
		Weights[T](t, s, WithDense[T](s, o, temporary), workers, unsafe.Add(temporary, DenseBytes[T](s)))
		return f.err()
	}
	w := newSparseWeights[T](s, sparse.Count, workers)
	w.sparse, w.failure = sparse, &f
	w.run(t, o, temporary)
	return f.err()
}

// sparseWeights computes the gradient of the weights: to each filter are added the patches of the pixels that it has taken
// something from, each times its element. Images are cut into parts, which depend on the shape alone, whose sums are added in order.
type sparseWeights[T Float] struct {
	*patchwork[T]
	sparse         *Sparse[T]
	failure        *failure
	count, workers int

	parts, partBytes                  int
	patchBytes, placeBytes, termBytes int // of a worker
}

func newSparseWeights[T Float](s *Shape, count, workers int) *sparseWeights[T] {
	w := &sparseWeights[T]{patchwork: newPatchwork[T](s), count: count}
	w.partBytes = s.Filters * w.chunks * lineBytes
	w.parts = max(1, min(mostParts, s.Batch, partBytes/max(1, w.partBytes)))
	w.workers = max(1, min(workers, w.parts))
	w.patchBytes = w.patchwork.bytes()
	w.placeBytes, w.termBytes = roundUp(4*(count+1), 64), roundUp((count+1)*sizeOf[T](), 64)
	return w
}

func (w *sparseWeights[T]) bytes() int { return w.patchBytes + w.placeBytes + w.termBytes }

func (w *sparseWeights[T]) scratch() int { return w.parts*w.partBytes + w.workers*w.bytes() + 64 } // So that no address is behind the end.

func (w *sparseWeights[T]) run(t *parallel.Thread, o *Operands, temporary unsafe.Pointer) {
	s := w.shape
	work := 2 * float64(s.Batch*s.Filters*(w.count+8)) * float64(s.Channels*s.taps()) / w.family.rate
	var next atomic.Int64
	t.ForCost(w.workers, work/float64(w.workers), func(_ *parallel.Thread, lo, hi int) {
		read := w.sparse.Reader()
		var b blend
		for worker := lo; worker < hi; worker++ {
			memory := unsafe.Add(temporary, w.parts*w.partBytes+worker*w.bytes())
			clear(unsafe.Slice((*byte)(memory), w.patchBytes))
			for part := int(next.Add(1)) - 1; part < w.parts; part = int(next.Add(1)) - 1 {
				w.compute(&b, read, part, o, unsafe.Add(temporary, part*w.partBytes), memory)
			}
		}
	})
	t.ForCost(s.Filters, float64((w.parts+4)*w.chunks*4), func(_ *parallel.Thread, lo, hi int) {
		for filter := lo; filter < hi; filter++ {
			w.add(filter, &o.Weights, temporary)
		}
	})
}

// compute does one part.
func (w *sparseWeights[T]) compute(b *blend, read func(plane int) ([]T, []int32), part int, o *Operands, sums, memory unsafe.Pointer) {
	s, size := w.shape, sizeOf[T]()
	b.adds, b.places = 0, unsafe.Add(memory, w.patchBytes)
	b.factors = unsafe.Add(b.places, w.placeBytes)
	first, last := s.Batch*part/w.parts, s.Batch*(part+1)/w.parts
	if first == last {
		clear(unsafe.Slice((*byte)(sums), w.partBytes))
	}
	for image := first; image < last; image++ {
		w.fill(memory, offset(o.Data.Start, image*o.Data.Strides[0]*size), &o.Data.Strides)
		for filter := range s.Filters {
			elements, places := read(image*s.Filters + filter)
			there := w.choose(unsafe.Slice((*uint32)(b.places), w.count+1), unsafe.Slice((*T)(b.factors), w.count+1), elements, places)
			if there < 0 {
				w.failure.note()
				return
			}
			b.count = there
			w.family.blend(b, w.plan, memory, unsafe.Add(sums, filter*w.chunks*lineBytes))
		}
		b.adds = 1
	}
}

// choose sets the places and factors of the elements that are not zero, and returns how many there are, or −1 if an index is not in the
// plane.
func (w *sparseWeights[T]) choose(places []uint32, factors, elements []T, indices []int32) (count int) {
	elements = elements[:len(indices)]
	done := 0
	if whole := len(indices) &^ (w.family.lanes - 1); w.family.pack != nil && whole > 0 {
		count, done = w.family.pack((*byte)(unsafe.Pointer(&factors[0])), (*byte)(unsafe.Pointer(&elements[0])), &places[0], &w.places[0],
			(*uint32)(unsafe.Pointer(&indices[0])), whole, len(w.places))
	}
	for i := done; i < len(indices); i++ {
		index := indices[i]
		if uint(index) >= uint(len(w.places)) {
			if index != -1 {
				return -1
			}
			continue
		}
		places[count], factors[count] = w.places[index], elements[i]
		next := count + 1
		if elements[i] == 0 {
			next = count
		}
		count = next
	}
	return count
}

// add writes a filter as the sum of all parts, in order, which takes the place of that of the first.
func (w *sparseWeights[T]) add(filter int, weights *Tensor, sums unsafe.Pointer) {
	var places [mostParts]uint32
	var ones [mostParts]T
	for part := range w.parts {
		places[part], ones[part] = uint32(part*w.partBytes), 1
	}
	b := &blend{places: unsafe.Pointer(&places), factors: unsafe.Pointer(&ones), count: w.parts}
	patch := unsafe.Add(sums, filter*w.chunks*lineBytes)
	w.family.blend(b, w.plan, patch, patch)
	w.filter(patch, weights, filter, true)
}
