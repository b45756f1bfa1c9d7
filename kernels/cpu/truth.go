package cpu

import (
	"bytes"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// nonzero counts the elements that are not zero; NaN is not.
func nonzero[T dtype.Number](_ *workspace, x []T, _ int) int64 {
	count := int64(0)
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	return count
}

// halvesNonzero counts the elements of float16 or bfloat16 that are neither 0 nor −0.
func halvesNonzero(_ *workspace, x []uint16, _ int) int64 {
	count := int64(0)
	for _, v := range x {
		if v<<1 != 0 {
			count++
		}
	}
	return count
}

// fewestCounted is the elements from which on counting makes bools of them, which takes some time for any number.
const fewestCounted = 64

// countingBools is leaf for any number of elements d: it makes bools of some at a time, and adds them.
func countingBools[T dtype.Number](d dtype.DType, leaf func(w *workspace, x []T, first int) int64) func(w *workspace, x []T, first int) int64 {
	truth := loading[uint8](d, dtype.Bool)
	return func(w *workspace, x []T, first int) (count int64) {
		if len(x) < fewestCounted {
			return leaf(w, x, first)
		}
		for len(x) > 0 {
			part := min(len(x), loaded)
			bools := slice[uint8](unsafe.Pointer(&w.loaded), part)
			truth.line(bools, unsafe.Pointer(&x[0]))
			count += sumOfNarrow[uint8](unsafe.Pointer(&bools[0]), part)
			x = x[part:]
		}
		return count
	}
}

// question is what is to be known of the elements that are not zero.
type question int

const (
	howMany question = iota
	whetherAny
	whetherAll
)

// counted is the entry of elements T, of which leaf counts those that are not zero. Mask has the bits of eight bytes that tell them.
func counted[T dtype.Number](asked question, d dtype.DType, leaf func(w *workspace, x []T, first int) int64, mask uint64) entry {
	leaf = countingBools(d, leaf)
	switch asked {
	case whetherAny:
		return answered(d, finding(leaf, mask), func(a, b bool) bool { return a || b }, false, disjunction)
	case whetherAll:
		return answered(d, missingNone[T](d), func(a, b bool) bool { return a && b }, true, conjunction)
	}
	f := fold[T, int64]{leaf: leaf, run: leaf, join: plus[int64], final: true, columns: countingColumns(d)}
	return entry{d.String(), reducer[T, int64]{fold: f, store: storing(same[int64])}.kernel}
}

// answered is the entry of a question about elements T with the answers of parts that join joins, and so does the loop on bools; of no
// elements it is empty.
func answered[T dtype.Number](d dtype.DType, leaf func(w *workspace, x []T, first int) bool, join func(a, b bool) bool, empty bool, joining func() *inner) entry {
	f := fold[T, bool]{leaf: leaf, run: leaf, join: join, final: true, columns: joiningColumns(d, joining)}
	f.longRows = func(w *workspace, dst []bool, x unsafe.Pointer, stride, count int) {
		for i := range dst {
			dst[i] = leaf(w, slice[T](unsafe.Add(x, i*stride), count), 0)
		}
	}
	f.joinAll = func(a, b []bool) {
		to := unsafe.Pointer(&a[0])
		joining().runner().run(len(a), pointers{to, to, unsafe.Pointer(&b[0])}, 0)
	}
	return entry{d.String(), reducer[T, bool]{fold: f, store: storing(func(answer bool, count int) bool {
		if count == 0 {
			return empty
		}
		return answer
	})}.kernel}
}

// cachedBools is how many bools of several rows are made at a time.
const cachedBools = 16 << 10

// joiningColumns returns the function that joins, in each column of rows with elements d that are stride bytes apart, the bools that the
// elements are, or become. Short rows are joined many at a time.
func joiningColumns(d dtype.DType, joining func() *inner) func(w *workspace, dst []bool, x unsafe.Pointer, stride, rows, _ int) {
	find := loopNamed(castName(d, dtype.Bool))
	return func(w *workspace, dst []bool, x unsafe.Pointer, stride, rows, _ int) {
		truth, join := find().runner(), joining().runner()
		to, bools, width := unsafe.Pointer(&dst[0]), unsafe.Pointer(&w.transposed), len(dst)
		truth.run(width, pointers{to, x}, 0)
		if d == dtype.Bool && width >= join.least {
			if rows > 1 { // no pointer may leave its memory
				join.runRows(rows-1, width, pointers{to, to, unsafe.Add(x, stride)}, [maxOperands]int{0, 0, stride}, 0)
			}
			return
		}
		for at, together := 1, max(1, cachedBools/width); at < rows; at += together {
			part := min(together, rows-at)
			truth.makeBools(part, width, bools, unsafe.Add(x, at*stride), stride)
			for ; part > 1; part -= part / 2 {
				join.run(part/2*width, pointers{bools, bools, unsafe.Add(bools, (part-part/2)*width)}, 0)
			}
			join.run(width, pointers{to, to, bools}, 0)
		}
	}
}

// makeBools runs a cast to bools, one after the other, of rows of count elements that are stride bytes apart.
func (r *runner) makeBools(rows, count int, bools, x unsafe.Pointer, stride int) {
	if stride == count*r.sizes[1] {
		r.run(rows*count, pointers{bools, x}, 0)
		return
	}
	r.runRows(rows, count, pointers{bools, x}, [maxOperands]int{count, stride}, 0)
}

// countingColumns returns the function that counts, in each column of rows with elements d that are stride bytes apart, those that are
// not zero. It makes bools of some rows at a time and adds them as bytes of words.
func countingColumns(d dtype.DType) func(w *workspace, dst []int64, x unsafe.Pointer, stride, rows, _ int) {
	const most = 128 // rows whose sum fits a byte
	find := loopNamed(castName(d, dtype.Bool))
	return func(w *workspace, dst []int64, x unsafe.Pointer, stride, rows, _ int) {
		clear(dst)
		width := len(dst)
		words := (width + 7) / 8
		bools, sums := unsafe.Pointer(&w.transposed), slice[int64](unsafe.Pointer(&w.columns), words)
		truth, together := find().runner(), min(most, int(unsafe.Sizeof(w.transposed))/(8*words))
		for at := 0; at < rows; at += together {
			part, from := min(together, rows-at), unsafe.Add(x, at*stride)
			if width%8 > 0 {
				for row := range part {
					*(*uint64)(unsafe.Add(bools, row*8*words+8*words-8)) = 0
				}
				truth.runRows(part, width, pointers{bools, from}, [maxOperands]int{8 * words, stride}, 0)
			} else {
				truth.makeBools(part, width, bools, from, stride)
			}
			sumInt64.rows(sums, bools, 8*words, part)
			for i, n := range slice[uint8](unsafe.Pointer(&sums[0]), width) {
				dst[i] += int64(n)
			}
		}
	}
}

// finding returns whether an element is not zero; it stops behind the first ones.
func finding[T dtype.Number](leaf func(w *workspace, x []T, first int) int64, mask uint64) func(w *workspace, x []T, first int) bool {
	return func(w *workspace, x []T, first int) bool {
		bytes := len(x) * int(unsafe.Sizeof(x[0]))
		if bytes < 8 {
			return leaf(w, x, first) > 0
		}
		words := slice[uint64](unsafe.Pointer(&x[0]), bytes/8)
		for most := 8; len(words) > 0; most = 64 {
			part := words[:min(len(words), most)]
			if anyBits(part)&mask != 0 {
				return true
			}
			words = words[len(part):]
		}
		return *(*uint64)(unsafe.Add(unsafe.Pointer(&x[0]), bytes-8))&mask != 0
	}
}

// anyBits returns the bits that any word has.
func anyBits(words []uint64) uint64 {
	var bits [4]uint64
	for ; len(words) >= 4; words = words[4:] {
		bits[0] |= words[0]
		bits[1] |= words[1]
		bits[2] |= words[2]
		bits[3] |= words[3]
	}
	for _, word := range words {
		bits[0] |= word
	}
	return bits[0] | bits[1] | bits[2] | bits[3]
}

// missingNone returns whether no element d is zero, none of the bools made of them; it stops behind the first ones, or
// as many again as it has seen.
func missingNone[T dtype.Number](d dtype.DType) func(w *workspace, x []T, first int) bool {
	truth := loading[uint8](d, dtype.Bool)
	return func(w *workspace, x []T, _ int) bool {
		for most := leaf; len(x) > 0; most = min(2*most, loaded) {
			part := min(len(x), most)
			bools := slice[uint8](unsafe.Pointer(&x[0]), part)
			if d.Size() > 1 {
				bools = slice[uint8](unsafe.Pointer(&w.loaded), part)
				truth.line(bools, unsafe.Pointer(&x[0]))
			}
			if bytes.IndexByte(bools, 0) >= 0 {
				return false
			}
			x = x[part:]
		}
		return true
	}
}

// truths are the kernels of what is asked.
func truths(asked question) []entry {
	const (
		halves, singles, doubles = 0x7FFF7FFF7FFF7FFF, 0x7FFFFFFF7FFFFFFF, 0x7FFFFFFFFFFFFFFF // without signs: -0 is zero
		all                      = 0xFFFFFFFFFFFFFFFF
	)
	return []entry{
		counted(asked, dtype.Bool, nonzero[uint8], all),
		counted(asked, dtype.Float16, halvesNonzero, halves), counted(asked, dtype.BFloat16, halvesNonzero, halves),
		counted(asked, dtype.Float32, nonzero[float32], singles), counted(asked, dtype.Float64, nonzero[float64], doubles),
		counted(asked, dtype.Int8, nonzero[uint8], all), counted(asked, dtype.Int16, nonzero[uint16], all),
		counted(asked, dtype.Int32, nonzero[uint32], all), counted(asked, dtype.Int64, nonzero[uint64], all),
		counted(asked, dtype.Uint8, nonzero[uint8], all), counted(asked, dtype.Uint16, nonzero[uint16], all),
		counted(asked, dtype.Uint32, nonzero[uint32], all), counted(asked, dtype.Uint64, nonzero[uint64], all),
		counted(asked, dtype.Complex64, nonzero[complex64], singles), counted(asked, dtype.Complex128, nonzero[complex128], doubles),
	}
}

var (
	_ = register("count_nonzero", truths(howMany)...)
	_ = register("any", truths(whetherAny)...)
	_ = register("all", truths(whetherAll)...)
)
