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

// SparseWeights is Weights for a gradient of the result that is zero in most places, and computes the gradient of the
// bias as well, the sums of what is somewhere of each filter; what o says of the result is not looked at. Elements that
// are zero count nothing, even times what is not finite. The error is ErrPlace.
func SparseWeights[T Float](t *parallel.Thread, s *Shape, o *Operands, sparse *Sparse[T], workers int, temporary unsafe.Pointer) error {
	var f failure
	if s.Groups*s.Filters == 0 {
		return nil
	}
	if s.Channels*s.taps() == 0 {
		sumElements(t, s, o, sparse)
		return nil
	}
	if !s.isSparse(sparse.Count, sizeOf[T]()) {
		sumElements(t, s, o, sparse)
		unpool(t, s, sparse, temporary, &f)
		dense := WithDense[T](s, o, temporary)
		Weights[T](t, s, dense, workers, BehindDense[T](s, temporary, WeightsScratch[T](s, dense, workers)))
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
	w.partBytes = s.Filters*w.chunks*lineBytes + roundUp(s.Filters*sizeOf[T](), 64)
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
			w.add(filter, o, temporary)
		}
	})
}

// compute does one part.
func (w *sparseWeights[T]) compute(b *blend, read func(plane int) ([]T, []int32), part int, o *Operands, sums, memory unsafe.Pointer) {
	s, size := w.shape, sizeOf[T]()
	b.adds, b.places = 0, unsafe.Add(memory, w.patchBytes)
	b.factors = unsafe.Add(b.places, w.placeBytes)
	bias := unsafe.Slice((*T)(unsafe.Add(sums, s.Filters*w.chunks*lineBytes)), s.Filters)
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
			if sum := total(unsafe.Slice((*T)(b.factors), there)); b.adds == 0 {
				bias[filter] = sum
			} else {
				bias[filter] += sum
			}
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
func (w *sparseWeights[T]) add(filter int, o *Operands, sums unsafe.Pointer) {
	s, size := w.shape, sizeOf[T]()
	var places [mostParts]uint32
	var ones [mostParts]T
	for part := range w.parts {
		places[part], ones[part] = uint32(part*w.partBytes), 1
	}
	b := &blend{places: unsafe.Pointer(&places), factors: unsafe.Pointer(&ones), count: w.parts}
	patch := unsafe.Add(sums, filter*w.chunks*lineBytes)
	w.family.blend(b, w.plan, patch, patch)
	w.filter(patch, &o.Weights, filter, true)
	var sum T
	for part := range w.parts {
		sum += *(*T)(unsafe.Add(sums, part*w.partBytes+s.Filters*w.chunks*lineBytes+filter*size))
	}
	*(*T)(unsafe.Add(o.Bias.Start, filter*o.Bias.Strides[0]*size)) = sum
}

// total is the sum of some elements, every fourth in a chain of its own.
func total[T Float](x []T) T {
	var a, b, c, d T
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
	}
	for _, v := range x {
		a += v
	}
	return (a + b) + (c + d)
}

// sumElements writes the gradient of the bias.
func sumElements[T Float](t *parallel.Thread, s *Shape, o *Operands, sparse *Sparse[T]) {
	filters := s.Groups * s.Filters
	t.ForCost(filters, float64(s.Batch*sparse.Count), func(_ *parallel.Thread, lo, hi int) {
		read := sparse.Reader()
		for filter := lo; filter < hi; filter++ {
			var sum T
			for image := range s.Batch {
				elements, places := read(image*filters + filter)
				for i, place := range places {
					if place != -1 {
						sum += elements[i]
					}
				}
			}
			*(*T)(unsafe.Add(o.Bias.Start, filter*o.Bias.Strides[0]*sizeOf[T]())) = sum
		}
	})
}
