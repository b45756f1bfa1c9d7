package cpu

import (
	"bytes"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// best is an element and its number.
type best[T dtype.Real] struct {
	value T
	index int64
}

// ArgMaxPartial is the size of a partial result of argmax or argmin in bytes, for ReductionScratch.
const ArgMaxPartial = int(unsafe.Sizeof(best[int64]{}))

// searched is the position of the first extreme, or of the first NaN if there is one: the leaf where it is follows from the
// extremes of all leaves, of which only that one is searched.
type searched[T dtype.Real] struct {
	extreme *total[T]
	// position returns where the first extreme of x is.
	position func(x []T) int
	// better reports whether b, which comes behind a, is to be preferred.
	better func(a, b T) bool
	// equal compares two rows of elements.
	equal func() *inner
}

func (s searched[T]) fold() fold[T, best[T]] {
	return fold[T, best[T]]{leaf: s.leaf, run: s.run, columns: s.columns, passes: 2, join: func(a, b best[T]) best[T] {
		if s.better(a.value, b.value) {
			return b
		}
		return a
	}}
}

func (s searched[T]) leaf(_ *workspace, x []T, first int) best[T] {
	at := s.position(x)
	return best[T]{x[at], int64(first + at)}
}

func (s searched[T]) run(w *workspace, x []T, first int) best[T] {
	var result best[T]
	for begin := 0; begin < len(x); begin += segment {
		part := x[begin:min(begin+segment, len(x))]
		leaves := s.extreme.leaves(w, part)
		number := s.position(leaves)
		if begin == 0 || s.better(result.value, leaves[number]) {
			result = best[T]{leaves[number], int64(begin + number*leaf)}
		}
	}
	end := min(int(result.index)+leaf, len(x))
	result.index += int64(first + s.where(w, x[result.index:end], result.value))
	return result
}

// where returns the place of the first element of a leaf that equals its extreme, given the value of that.
func (s searched[T]) where(w *workspace, x []T, extreme T) int {
	equal := s.equal().runner()
	if equal.vector == nil || len(x) < equal.least || extreme != extreme {
		return s.position(x)
	}
	found, value := slice[uint8](unsafe.Pointer(&w.mapped), len(x)), (*T)(unsafe.Pointer(&w.lanes))
	*value = extreme
	equal.run(len(x), pointers{unsafe.Pointer(&found[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(value)}, 1<<1)
	return bytes.IndexByte(found, 1)
}

// columns counts, for each output, the rows before the first one that equals its extreme: in bytes, eight to a word.
func (s searched[T]) columns(w *workspace, dst []best[T], x unsafe.Pointer, stride, count, first int) {
	const ones = 0x0101010101010101
	extremes := slice[T](unsafe.Pointer(&w.transposed), len(dst))
	s.extreme.columns(w, extremes, x, stride, count, first)
	words := (len(dst) + 7) / 8
	memory := w.columns[:3*words]
	found, missing, before := memory[:words], memory[words:2*words], memory[2*words:]
	for i := range words {
		found[i], missing[i], before[i] = 0, ones, 0
	}
	equal := s.equal().runner()
	for row := range count - 1 {
		equal.run(len(dst), pointers{unsafe.Pointer(&found[0]), unsafe.Add(x, row*stride), unsafe.Pointer(&extremes[0])}, 0)
		for i, f := range found {
			missing[i] &^= f
			before[i] += missing[i]
		}
	}
	for i, number := range slice[uint8](unsafe.Pointer(&before[0]), len(dst)) {
		dst[i] = best[T]{extremes[i], int64(first) + int64(number)}
		if v := extremes[i]; v != v {
			dst[i].index = int64(first + firstNaN[T](unsafe.Add(x, i*int(unsafe.Sizeof(v))), stride))
		}
	}
}

// firstNaN returns the number of the first element, of those stride bytes apart, that is NaN; there is one.
func firstNaN[T dtype.Real](x unsafe.Pointer, stride int) int {
	at := 0
	for {
		if v := *(*T)(unsafe.Add(x, at*stride)); v != v {
			return at
		}
		at++
	}
}

// equality finds the loop that compares elements T.
func equality[T dtype.Real]() func() *inner {
	return loopNamed("equal/" + dtype.Of[T]().String())
}

// firstLargest returns where the first of the largest elements is, or the first NaN.
func firstLargest[T dtype.Real](x []T) int {
	value, index := x[0], 0
	for i, v := range x {
		if !(v <= value) && value == value {
			value, index = v, i
		}
	}
	return index
}

func firstSmallest[T dtype.Real](x []T) int {
	value, index := x[0], 0
	for i, v := range x {
		if !(v >= value) && value == value {
			value, index = v, i
		}
	}
	return index
}

// locatingBools stops at the first bool that equals most.
func locatingBools(s searched[uint8], most uint8) entry {
	f := s.fold()
	f.leaf = func(_ *workspace, x []uint8, first int) best[uint8] {
		if at := bytes.IndexByte(x, most); at >= 0 {
			return best[uint8]{most, int64(first + at)}
		}
		return best[uint8]{1 - most, int64(first)}
	}
	f.run = f.leaf
	return entry{dtype.Bool.String(), reducer[uint8, best[uint8]]{f, nil, indices[uint8]()}.kernel}
}

// indices is the store of positions.
func indices[T dtype.Real]() results[best[T]] {
	return results[best[T]]{func(dst unsafe.Pointer, total best[T], _ int) {
		*(*int64)(dst) = total.index
	}, func(dst unsafe.Pointer, stride int, totals []best[T], _ int) {
		for i := range totals {
			*(*int64)(unsafe.Add(dst, i*stride)) = totals[i].index
		}
	}}
}

func locating[T dtype.Real](s searched[T], d dtype.DType, load loader[T]) entry {
	return entry{d.String(), reducer[T, best[T]]{s.fold(), load, indices[T]()}.kernel}
}

func searchingLargest[T dtype.Real](f *total[T]) searched[T] {
	return searched[T]{f, firstLargest[T], func(a, b T) bool { return !(b <= a) && a == a }, equality[T]()}
}

func searchingSmallest[T dtype.Real](f *total[T]) searched[T] {
	return searched[T]{f, firstSmallest[T], func(a, b T) bool { return !(b >= a) && a == a }, equality[T]()}
}

func locatingWhole[T dtype.Real](s searched[T]) entry { return locating(s, dtype.Of[T](), nil) }

// argmax and argmin give the row-major number of the first extreme within the reduced axes.
var (
	_ = register("argmax",
		locating(searchingLargest(maximum32), dtype.Float16, loadF16), locating(searchingLargest(maximum32), dtype.BFloat16, loadBF16),
		locatingWhole(searchingLargest(maximum32)), locatingWhole(searchingLargest(maximum64)),
		locatingBools(searchingLargest(newMaximum[uint8]()), 1),
		locatingWhole(searchingLargest(newMaximum[int8]())), locatingWhole(searchingLargest(newMaximum[int16]())),
		locatingWhole(searchingLargest(newMaximum[int32]())), locatingWhole(searchingLargest(newMaximum[int64]())),
		locatingWhole(searchingLargest(newMaximum[uint8]())), locatingWhole(searchingLargest(newMaximum[uint16]())),
		locatingWhole(searchingLargest(newMaximum[uint32]())), locatingWhole(searchingLargest(newMaximum[uint64]())))

	_ = register("argmin",
		locating(searchingSmallest(minimum32), dtype.Float16, loadF16), locating(searchingSmallest(minimum32), dtype.BFloat16, loadBF16),
		locatingWhole(searchingSmallest(minimum32)), locatingWhole(searchingSmallest(minimum64)),
		locatingBools(searchingSmallest(newMinimum[uint8]()), 0),
		locatingWhole(searchingSmallest(newMinimum[int8]())), locatingWhole(searchingSmallest(newMinimum[int16]())),
		locatingWhole(searchingSmallest(newMinimum[int32]())), locatingWhole(searchingSmallest(newMinimum[int64]())),
		locatingWhole(searchingSmallest(newMinimum[uint8]())), locatingWhole(searchingSmallest(newMinimum[uint16]())),
		locatingWhole(searchingSmallest(newMinimum[uint32]())), locatingWhole(searchingSmallest(newMinimum[uint64]())))
)
