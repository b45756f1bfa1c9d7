package convolution

import (
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// SparseDataScratch returns the bytes of temporary memory that SparseData takes for at most so many workers and elements in a plane.
func SparseDataScratch[T Float](s *Shape, o *Operands, count, workers int) int {
	if s.isEmpty(s.data()) {
		return 0
	}
	if !s.isSparse(count, sizeOf[T]()) {
		return DenseBytes[T](s) + DataScratch[T](s, WithDense[T](s, o, nil), workers)
	}
	return newSparseData[T](s, count, workers).scratch()
}

// SparseData is Data for a gradient of the result that is zero in most places; what o says of the result is not looked at. Elements
// that are zero count nothing, even times what is not finite. The error is ErrPlace.
func SparseData[T Float](t *parallel.Thread, s *Shape, o *Operands, sparse *Sparse[T], workers int, temporary unsafe.Pointer) error {
	var f failure
	if s.isEmpty(s.data()) {
		return nil
	}
	if !s.isSparse(sparse.Count, sizeOf[T]()) {
		unpool(t, s, sparse, temporary, &f)
		dense := WithDense[T](s, o, temporary)
		Data[T](t, s, dense, workers, BehindDense[T](s, temporary, DataScratch[T](s, dense, workers)))
		return f.err()
	}
	d := newSparseData[T](s, sparse.Count, workers)
	d.sparse, d.failure = sparse, &f
	d.run(t, o, temporary)
	return f.err()
}

// sparseData computes the gradient of the data. To the patch of each pixel of the result that something has been taken from are
// added the filters that have taken it, each times its element; then patches are added up to an image.
type sparseData[T Float] struct {
	*patchwork[T]
	sparse         *Sparse[T]
	failure        *failure
	count, workers int

	filterBytes                       int           // of all filters as patches
	patchBytes, canvasBytes           int           // of a worker
	placeBytes, termBytes, startBytes int           // of a worker
	pitch                             int           // bytes of a row of a canvas
	wholePlan, restPlan               []blendKernel // of the chunks at a time, and of the last
	atOnce                            int           // chunks of the filters that are taken at a time, for all instruction sets: patches overlap
}

// nearBytes is the most bytes of filters that are taken at a time, which stay in the first cache.
const nearBytes = 40 << 10

func newSparseData[T Float](s *Shape, count, workers int) *sparseData[T] {
	d := &sparseData[T]{patchwork: newPatchwork[T](s), count: count, workers: max(1, min(workers, s.Batch))}
	d.filterBytes = s.Filters * d.chunks * lineBytes
	d.patchBytes = d.patchwork.bytes()
	size := sizeOf[T]()
	// Masked vectors of adjacent rows do not overlap: one waits for the other where they do.
	d.pitch = roundUp((s.Axes[2].Data+s.Axes[2].Kernel)*size+lineBytes, lineBytes)
	d.canvasBytes = s.Channels * s.Axes[1].Data * d.pitch
	d.placeBytes, d.termBytes = roundUp(4*s.Filters*count, 64), roundUp(s.Filters*count*size, 64)
	d.startBytes = roundUp(4*(s.results()+2), 64)
	d.atOnce = max(4, nearBytes/(max(1, s.Filters)*lineBytes)/4*4)
	d.wholePlan, d.restPlan = d.family.blendPlan(d.atOnce), d.family.blendPlan(d.chunks%d.atOnce)
	return d
}

func (d *sparseData[T]) bytes() int {
	return d.patchBytes + d.canvasBytes + d.placeBytes + d.termBytes + d.startBytes
}

func (d *sparseData[T]) scratch() int { return d.filterBytes + d.workers*d.bytes() + 64 } // So that no address is behind the end.

func (d *sparseData[T]) run(t *parallel.Thread, o *Operands, temporary unsafe.Pointer) {
	s := d.shape
	pitch := d.chunks * lineBytes
	t.ForCost(s.Filters, float64(s.Channels*s.taps()), func(_ *parallel.Thread, lo, hi int) {
		for filter := lo; filter < hi; filter++ {
			patch := unsafe.Add(temporary, filter*pitch)
			clear(unsafe.Slice((*byte)(patch), pitch))
			d.filter(patch, &o.Weights, filter, false)
		}
	})
	work := 2 * float64(s.Batch*s.Filters*(d.count+8)) * float64(s.Channels*s.taps()) / d.family.rate
	var next atomic.Int64
	t.ForCost(d.workers, work/float64(d.workers), func(_ *parallel.Thread, lo, hi int) {
		read := d.sparse.Reader()
		var b blend
		for worker := lo; worker < hi; worker++ {
			memory := unsafe.Add(temporary, d.filterBytes+worker*d.bytes())
			for image := int(next.Add(1)) - 1; image < s.Batch; image = int(next.Add(1)) - 1 {
				d.compute(&b, read, image, o, temporary, memory)
			}
		}
	})
}

// compute does one image.
func (d *sparseData[T]) compute(b *blend, read func(plane int) ([]T, []int32), image int, o *Operands, filters, memory unsafe.Pointer) {
	s, size := d.shape, sizeOf[T]()
	clear(unsafe.Slice((*byte)(memory), d.patchBytes+d.canvasBytes))
	canvas := unsafe.Add(memory, d.patchBytes)
	places := unsafe.Add(canvas, d.canvasBytes)
	terms := unsafe.Add(places, d.placeBytes)
	starts := unsafe.Slice((*uint32)(unsafe.Add(terms, d.termBytes)), s.results()+2)
	if !d.sort(read, image, unsafe.Slice((*uint32)(places), s.Filters*d.count), unsafe.Slice((*T)(terms), s.Filters*d.count), starts) {
		d.failure.note()
		return
	}
	b.adds = 1
	for first := 0; first < d.chunks; first += d.atOnce {
		plan := d.wholePlan
		if d.chunks-first < d.atOnce {
			plan = d.restPlan
		}
		for pixel, place := range d.places {
			from, to := starts[pixel], starts[pixel+1]
			if from == to {
				continue
			}
			b.places, b.factors, b.count = unsafe.Add(places, 4*from), unsafe.Add(terms, int(from)*size), int(to-from)
			d.family.blend(b, plan, unsafe.Add(filters, first*lineBytes), unsafe.Add(memory, int(place)+first*lineBytes))
		}
	}
	rows := s.Axes[1].Data * d.pitch / size
	d.addUp(memory, canvas, &[5]int{0, rows, 0, d.pitch / size, 1})
	for channel := range s.Channels {
		to := unsafe.Add(o.Data.Start, (image*o.Data.Strides[0]+channel*o.Data.Strides[1])*size)
		copyLines(d.family, lines{to, o.Data.Strides[3] * size, o.Data.Strides[4] * size}, lines{unsafe.Add(canvas, channel*rows*size), d.pitch, size}, s.Axes[2].Data, s.Axes[1].Data)
	}
}

// sort sorts the elements of an image that are not zero by pixels, those of a pixel by filters, and sets where the terms of each pixel
// start, and those of the next. It reports whether all places are in the planes.
func (d *sparseData[T]) sort(read func(plane int) ([]T, []int32), image int, lines []uint32, factors []T, starts []uint32) bool {
	s := d.shape
	results := s.results()
	clear(starts)
	counts := starts[1:] // The last is of what counts nothing.
	for filter := range s.Filters {
		elements, places := read(image*s.Filters + filter)
		elements = elements[:len(places)]
		for i, place := range places {
			at := int(place)
			if uint(at) >= uint(results) {
				if at != -1 {
					return false
				}
				at = results
			}
			if elements[i] == 0 {
				at = results
			}
			counts[at]++
		}
	}
	sum := uint32(0)
	for pixel, count := range counts {
		counts[pixel] = sum
		sum += count
	}
	pitch := uint32(d.chunks * lineBytes)
	for filter := range s.Filters {
		elements, places := read(image*s.Filters + filter)
		elements = elements[:len(places)]
		for i, place := range places {
			at := int(place)
			if at < 0 {
				at = results
			}
			if elements[i] == 0 {
				at = results
			}
			lines[counts[at]], factors[counts[at]] = uint32(filter)*pitch, elements[i]
			counts[at]++
		}
	}
	return true
}
