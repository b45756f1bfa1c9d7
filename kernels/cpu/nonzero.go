package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// nonzeros finds the elements of type d that are not zero, by bools made of them.
type nonzeros struct {
	dtype dtype.DType
	truth loader[uint8]
}

const (
	// nonzeroSegment is how many elements a thread counts at a time, and nonzeroPiece how many it looks for at a time.
	nonzeroSegment = 16 << 10
	nonzeroPiece   = 512
)

// kernel writes the indices of the elements of Inputs[0] that are not zero, in row-major order, to the columns of
// Outputs[0], whose rows are the axes, and how many there are to Outputs[1]. Columns left over are zero; what
// finds none is left out. Threads count those of their segments, and know then where to write.
func (elements nonzeros) kernel(t *parallel.Thread, a *device.Arguments) error {
	output, input := a.Outputs[0], a.Inputs[0]
	total := input.Count()
	before := make([]int, (total+nonzeroSegment-1)/nonzeroSegment+1) // those before each segment
	t.ForCost(len(before)-1, light*nonzeroSegment, func(_ *parallel.Thread, lo, hi int) {
		var memory nonzeroMemory
		for i := lo; i < hi; i++ {
			w := newLineWalk(input, i*nonzeroSegment, min((i+1)*nonzeroSegment, total))
			for w.next(nonzeroPiece) {
				bools := elements.bools(&memory, &w)
				before[i+1] += int(sumOfNarrow[uint8](unsafe.Pointer(&bools[0]), len(bools)))
			}
		}
	})
	for i := range len(before) - 1 {
		before[i+1] += before[i]
	}
	rank, found, room := len(input.Shape), before[len(before)-1], output.Shape[1]
	if rank > 0 {
		t.ForCost(len(before)-1, 2*light*nonzeroSegment, func(_ *parallel.Thread, lo, hi int) {
			var memory nonzeroMemory
			for i := lo; i < hi; i++ {
				at := before[i]
				w := newLineWalk(input, i*nonzeroSegment, min((i+1)*nonzeroSegment, total))
				for w.next(nonzeroPiece) {
					count := min(findTrue(memory.numbers[:], elements.bools(&memory, &w), w.index[rank-1]), room-at)
					if count <= 0 {
						continue
					}
					for axis, index := range w.index[:rank-1] {
						indicesOf(output, axis, at, at+count).repeat(int64(index))
					}
					indicesOf(output, rank-1, at, at+count).copy(memory.numbers[:count])
					at += count
				}
			}
		})
	}
	for axis := range rank {
		if found < room {
			indicesOf(output, axis, found, room).clear(t)
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

// nonzeroMemory is what is made of a piece.
type nonzeroMemory struct {
	numbers  [nonzeroPiece]int64
	elements [nonzeroPiece][2]uint64
	bools    [nonzeroPiece]uint8
}

// bools returns whether each of the neighbours is not zero, as 0 or 1.
func (elements nonzeros) bools(memory *nonzeroMemory, w *lineWalk) []uint8 {
	from, size := w.element, elements.dtype.Size()
	if w.stride != size && w.count > 1 {
		gathered := unsafe.Pointer(&memory.elements)
		move(gathered, size, from, w.stride, w.count, size)
		from = gathered
	}
	bools := memory.bools[:w.count]
	elements.truth.line(bools, from)
	return bools
}

// findTrue writes the numbers of the bools that are true, of which that of the first is first, to numbers, which has room for all, and
// returns how many they are. All numbers are written, each over the last one that was not to be kept.
func findTrue(numbers []int64, bools []uint8, first int) (found int) {
	i, found := compressNumbers(&numbers[0], &bools[0], len(bools), len(numbers), first)
	for ; i < len(bools); i++ {
		numbers[found] = int64(first + i)
		found += int(bools[i])
	}
	return found
}

var _ = register("nonzero", nonzeroEntries()...)

func nonzeroEntries() (entries []entry) {
	for _, d := range dtype.All() {
		of := d
		if d == dtype.Bool { // memory that is not weft's may hold other bools than 0 and 1
			of = dtype.Uint8
		}
		entries = append(entries, entry{d.String(), nonzeros{d, loading[uint8](of, dtype.Bool)}.kernel})
	}
	return entries
}
