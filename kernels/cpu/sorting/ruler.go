package sorting

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// Ruler finds places in a line of numbers that lie about evenly, without halving it: it divides the way from the first number to the last
// into marks of equal width, and knows how many elements are before each of them. What is between two marks is compared.
type Ruler[B Bits] struct {
	list      []B
	before    []uint32 // elements before each mark
	low, high float64  // the first element and the last
	scale     float64  // marks in a unit
	most      int      // elements between two marks
	search    func(r *Ruler[B], dst []int64, values []B, right bool)
}

// A line has a ruler if it has some elements, which are looked up often enough, and so few between two marks.
const (
	marksPerElement = 2
	leastRuled      = 8
	mostBetween     = 12
)

// RulerMarks returns how many marks a ruler has for a list of so many elements in which so many values are looked up; 0 if it does not pay.
func RulerMarks(length, values int) int {
	if length < leastRuled || length > math.MaxInt32/marksPerElement || values < length {
		return 0
	}
	return marksPerElement*length + 2
}

// NewRuler returns the ruler of a list of elements of type d, which is ascending in ranks, in memory for RulerMarks.
// Not all lists have one: their numbers may be far from even, infinite, or NaN; nor have all types.
func NewRuler[B Bits](d dtype.DType, list []B, memory []uint32) (r *Ruler[B], exists bool) {
	switch d {
	case dtype.Float32:
		return newRuler[float32](list, memory)
	case dtype.Float64:
		return newRuler[float64](list, memory)
	case dtype.Int32:
		return newRuler[int32](list, memory)
	case dtype.Int64:
		return newRuler[int64](list, memory)
	}
	return nil, false
}

func newRuler[T dtype.Real, B Bits](list []B, memory []uint32) (r *Ruler[B], exists bool) {
	elements := elementsOf[T](list)
	low, high := float64(elements[0]), float64(elements[len(elements)-1])
	r = &Ruler[B]{list: list, before: memory, low: low, high: high, search: searchByRuler[T, B]}
	r.scale = float64(len(memory)-2) / (high - low)
	if !(r.scale > 0) || math.IsInf(r.scale, 1) {
		return nil, false
	}
	mark, at := 0, 0 // Where the last element is that was counted, and the first one between the same marks.
	for i, v := range elements {
		x := float64(v)
		if !(x >= low && x <= high) {
			return nil, false
		}
		for next := r.mark(x); mark <= next; mark++ {
			memory[mark], at = uint32(i), i
		}
		r.most = max(r.most, i-at+1)
	}
	for ; mark < len(memory); mark++ {
		memory[mark] = uint32(len(list))
	}
	return r, r.most <= mostBetween
}

// mark returns the last mark that is not behind a number from low to high. It does not fall where numbers rise.
func (r *Ruler[B]) mark(x float64) int { return int((x - r.low) * r.scale) }

// Search is Order.Search in the list of the ruler.
func (r *Ruler[B]) Search(dst []int64, _, values []B, right bool) { r.search(r, dst, values, right) }

func searchByRuler[T dtype.Real, B Bits](r *Ruler[B], dst []int64, values []B, right bool) {
	list := elementsOf[T](r.list)
	for i, v := range elementsOf[T](values) {
		switch x := float64(v); {
		case x >= r.low && x < r.high: // The last element ends the walk.
			at := r.before[r.mark(x)]
			at += isBefore(list[at], v, right)
			for r.most > 1 && isBefore(list[at], v, right) > 0 {
				at++
			}
			dst[i] = int64(at)
		case x < r.low:
			dst[i] = 0
		case x == r.high: // which other integers may be, too, in double precision
			at := r.before[r.mark(x)]
			for int(at) < len(list) && isBefore(list[at], v, right) > 0 {
				at++
			}
			dst[i] = int64(at)
		default:
			dst[i] = int64(len(list))
		}
	}
}

// isBefore is 1 if x is less than y, or equal and right, else 0. No branch depends on the numbers.
func isBefore[T dtype.Real](x, y T, right bool) (one uint32) {
	if right {
		if x <= y {
			one = 1
		}
		return one
	}
	if x < y {
		one = 1
	}
	return one
}

// elementsOf returns the elements whose bits are given.
func elementsOf[T dtype.Real, B Bits](bits []B) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bits))), len(bits))
}
