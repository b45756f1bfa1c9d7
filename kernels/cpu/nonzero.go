package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// nonzeros are functions of count elements of one type, so many bytes from one to the next. Find writes the numbers of
// those that are not zero, of which that of x is first, to indices, which has room for count, and both return how many
// they are.
type nonzeros struct {
	find  func(indices []int64, x unsafe.Pointer, stride, count, first int) int
	count func(x unsafe.Pointer, stride, count int) int
}

const (
	// nonzeroSegment is how many elements a thread counts at a time, and nonzeroPiece how many it looks for at a time.
	nonzeroSegment = 16 << 10
	nonzeroPiece   = 512
)

// kernel writes the indices of the elements of Inputs[0] that are not zero, in row-major order, to the columns of
// Outputs[0], whose rows are the axes, and how many there are to Outputs[1]. Columns left over are zero. Threads count
// those of their segments, and know then where to write.
func (elements nonzeros) kernel(t *parallel.Thread, a *device.Arguments) error {
	output, input := a.Outputs[0], a.Inputs[0]
	total := input.Count()
	before := make([]int, (total+nonzeroSegment-1)/nonzeroSegment+1) // those before each segment
	t.ForCost(len(before)-1, light*nonzeroSegment, func(_ *parallel.Thread, lo, hi int) {
		for i := lo; i < hi; i++ {
			w := newLineWalk(input, i*nonzeroSegment, min((i+1)*nonzeroSegment, total))
			for w.next(nonzeroPiece) {
				before[i+1] += elements.count(w.element, w.stride, w.count)
			}
		}
	})
	for i := range len(before) - 1 {
		before[i+1] += before[i]
	}
	rank, found := len(input.Shape), before[len(before)-1]
	if rank > 0 {
		t.ForCost(len(before)-1, 2*light*nonzeroSegment, func(_ *parallel.Thread, lo, hi int) {
			var piece [nonzeroPiece]int64
			for i := lo; i < hi; i++ {
				at := before[i]
				w := newLineWalk(input, i*nonzeroSegment, min((i+1)*nonzeroSegment, total))
				for w.next(nonzeroPiece) {
					count := elements.find(piece[:], w.element, w.stride, w.count, w.index[rank-1])
					if count == 0 {
						continue
					}
					for axis, index := range w.index[:rank-1] {
						indicesOf(output, axis, at, at+count).repeat(int64(index))
					}
					indicesOf(output, rank-1, at, at+count).copy(piece[:count])
					at += count
				}
			}
		})
	}
	for axis := range rank {
		if found < total {
			indicesOf(output, axis, found, total).clear(t)
		}
	}
	*(*int64)(a.Outputs[1].Pointer.Host) = int64(found)
	return nil
}

// indexRow is count numbers of a row, so many bytes from one to the next.
type indexRow struct {
	start         unsafe.Pointer
	stride, count int
}

// indicesOf returns the numbers of a row from first to before last, which are some.
func indicesOf(v device.View, row, first, last int) indexRow {
	return indexRow{unsafe.Add(v.Pointer.Host, 8*(row*v.Strides[0]+first*v.Strides[1])), 8 * v.Strides[1], last - first}
}

func (r indexRow) repeat(value int64) {
	if r.stride == 8 {
		repeat(slice[int64](r.start, r.count), value)
		return
	}
	for i := range r.count {
		*(*int64)(unsafe.Add(r.start, i*r.stride)) = value
	}
}

func (r indexRow) clear(t *parallel.Thread) {
	if r.stride == 8 {
		clearMemory(t, slice[byte](r.start, 8*r.count))
		return
	}
	r.repeat(0)
}

func (r indexRow) copy(values []int64) {
	if r.stride == 8 {
		copy(slice[int64](r.start, r.count), values)
		return
	}
	for i, value := range values {
		*(*int64)(unsafe.Add(r.start, i*r.stride)) = value
	}
}

// lineWalk goes over elements of an array in row-major order, some neighbours of a line along the last axis at a time: count of them from
// element on, stride bytes from one to the next, of which the first has the given index.
type lineWalk struct {
	view    device.View
	left    int
	index   []int
	element unsafe.Pointer
	stride  int
	count   int
}

// newLineWalk goes over the elements from the one with number first to before last.
func newLineWalk(view device.View, first, last int) lineWalk {
	w := lineWalk{view: view, left: last - first, index: make([]int, len(view.Shape))}
	for axis := len(view.Shape) - 1; axis >= 0; axis-- {
		w.index[axis], first = first%view.Shape[axis], first/view.Shape[axis]
	}
	if len(view.Shape) > 0 {
		w.stride = view.Strides[len(view.Shape)-1] * view.DType.Size()
	}
	return w
}

// next steps to the next neighbours, at most so many, and reports whether there are any.
func (w *lineWalk) next(most int) bool {
	last := len(w.index) - 1
	if w.left -= w.count; w.left == 0 {
		return false
	}
	if last < 0 {
		w.element, w.count = w.view.Pointer.Host, 1
		return true
	}
	w.index[last] += w.count
	for axis := last; axis > 0 && w.index[axis] == w.view.Shape[axis]; axis-- {
		w.index[axis] = 0
		w.index[axis-1]++
	}
	at := 0
	for axis, i := range w.index {
		at += i * w.view.Strides[axis]
	}
	w.element, w.count = unsafe.Add(w.view.Pointer.Host, at*w.view.DType.Size()), min(w.view.Shape[last]-w.index[last], w.left, most)
	return true
}

// findNonzero writes all indices, each over the last one that was not to be kept.
func findNonzero[T dtype.Real | complex64 | complex128](indices []int64, x unsafe.Pointer, stride, count, first int) (found int) {
	for i := range count {
		indices[found] = int64(first + i)
		var one int
		if *(*T)(unsafe.Add(x, i*stride)) != 0 {
			one = 1
		}
		found += one
	}
	return found
}

func countNonzero[T dtype.Real | complex64 | complex128](x unsafe.Pointer, stride, count int) (found int) {
	for i := range count {
		var one int
		if *(*T)(unsafe.Add(x, i*stride)) != 0 {
			one = 1
		}
		found += one
	}
	return found
}

// findNonzeroHalves is findNonzero for the bits of floats of 16 bits, of which the first is the sign.
func findNonzeroHalves(indices []int64, x unsafe.Pointer, stride, count, first int) (found int) {
	for i := range count {
		indices[found] = int64(first + i)
		var one int
		if *(*uint16)(unsafe.Add(x, i*stride))<<1 != 0 {
			one = 1
		}
		found += one
	}
	return found
}

func countNonzeroHalves(x unsafe.Pointer, stride, count int) (found int) {
	for i := range count {
		var one int
		if *(*uint16)(unsafe.Add(x, i*stride))<<1 != 0 {
			one = 1
		}
		found += one
	}
	return found
}

func nonzeroEntry[T dtype.Real | complex64 | complex128](d dtype.DType) entry {
	return entry{d.String(), nonzeros{findNonzero[T], countNonzero[T]}.kernel}
}

var _ = register("nonzero",
	nonzeroEntry[uint8](dtype.Bool), nonzeroEntry[int8](dtype.Int8), nonzeroEntry[int16](dtype.Int16), nonzeroEntry[int32](dtype.Int32),
	nonzeroEntry[int64](dtype.Int64), nonzeroEntry[uint8](dtype.Uint8), nonzeroEntry[uint16](dtype.Uint16), nonzeroEntry[uint32](dtype.Uint32),
	nonzeroEntry[uint64](dtype.Uint64), nonzeroEntry[float32](dtype.Float32), nonzeroEntry[float64](dtype.Float64),
	nonzeroEntry[complex64](dtype.Complex64), nonzeroEntry[complex128](dtype.Complex128),
	entry{dtype.Float16.String(), nonzeros{findNonzeroHalves, countNonzeroHalves}.kernel},
	entry{dtype.BFloat16.String(), nonzeros{findNonzeroHalves, countNonzeroHalves}.kernel})
