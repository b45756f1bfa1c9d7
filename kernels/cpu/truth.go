package cpu

import (
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

// question is what is to be known of the elements that are not zero.
type question int

const (
	howMany question = iota
	whetherAny
	whetherAll
)

// counted is the entry of elements T, of which leaf counts those that are not zero. Mask has the bits of eight bytes that tell them.
func counted[T dtype.Number](asked question, d dtype.DType, leaf func(w *workspace, x []T, first int) int64, mask uint64) entry {
	f, store := fold[T, int64]{leaf: leaf, join: plus[int64]}, storing(same[int64])
	switch asked {
	case whetherAny:
		f.leaf = finding(leaf, mask)
		f.run, store = f.leaf, storing(func(found int64, _ int) bool { return found > 0 })
	case whetherAll:
		f.leaf = missing(leaf)
		f.run, store = f.leaf, storing(func(missed int64, _ int) bool { return missed == 0 })
	}
	return entry{d.String(), reducer[T, int64]{fold: f, store: store}.kernel}
}

// finding returns what is positive where an element is not zero; it stops behind the first ones.
func finding[T dtype.Number](leaf func(w *workspace, x []T, first int) int64, mask uint64) func(w *workspace, x []T, first int) int64 {
	const block = 64 // words
	return func(w *workspace, x []T, first int) int64 {
		size := int(unsafe.Sizeof(x[0]))
		for ; len(x)*size >= 8*block; x = x[8*block/size:] {
			words := (*[block]uint64)(unsafe.Pointer(&x[0]))
			var bits [4]uint64
			for i := 0; i < block; i += 4 {
				bits[0] |= words[i]
				bits[1] |= words[i+1]
				bits[2] |= words[i+2]
				bits[3] |= words[i+3]
			}
			if (bits[0]|bits[1]|bits[2]|bits[3])&mask != 0 {
				return 1
			}
		}
		if len(x) == 0 {
			return 0
		}
		return leaf(w, x, first)
	}
}

// missing returns what is positive where an element is zero; it stops behind the first ones.
func missing[T dtype.Number](count func(w *workspace, x []T, first int) int64) func(w *workspace, x []T, first int) int64 {
	return func(w *workspace, x []T, first int) int64 {
		for len(x) > 0 {
			part := x[:min(len(x), leaf)]
			if zeros := int64(len(part)) - count(w, part, first); zeros > 0 {
				return zeros
			}
			x = x[len(part):]
		}
		return 0
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
