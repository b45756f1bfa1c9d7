package cpu

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// narrowSum is the assembly that sums integers without a sign, of which flip inverts bits before: quadwords of them if
// they have four bytes, so that the elements' own sum is to be made of that and the sum of the higher halves: of each
// element of two bytes, and of each quadword. Blocks have narrowBlock bytes.
type narrowSum func(x *byte, blocks int, flip uint64) (sum, highs uint64)

// narrowSums are the narrowSum for AVX2 and AVX-512, for elements of one, two and four bytes. Nothing changes once the
// package is initialised.
var narrowSums [2][3]narrowSum

const narrowBlock = 256

type narrow interface {
	int8 | int16 | int32 | uint8 | uint16 | uint32
}

// sumOfNarrow returns the sum of count elements, whose order does not matter since it wraps round.
func sumOfNarrow[T narrow](x unsafe.Pointer, count int) (total int64) {
	size := int(unsafe.Sizeof(T(0)))
	if features.Best > features.Portable {
		add, sign := narrowSums[features.Best-features.AVX2][size/2], uint64(0)
		if ^T(0) < 0 {
			sign = 1 << (8*size - 1) // elements without a sign that are larger by this
		}
		flip := sign * (^uint64(0) / (1<<(8*size) - 1))
		for count*size >= narrowBlock {
			blocks := min(count*size, segment) / narrowBlock // the runtime cannot stop it
			sum, highs := add((*byte)(x), blocks, flip)
			switch size {
			case 2:
				sum += 255 * highs
			case 4:
				sum -= (1<<32 - 1) * highs
			}
			elements := blocks * narrowBlock / size
			total += int64(sum - sign*uint64(elements))
			if count -= elements; count == 0 {
				return total // no pointer may point behind the last element
			}
			x = unsafe.Add(x, blocks*narrowBlock)
		}
	}
	for _, v := range slice[T](x, count) {
		total += int64(v)
	}
	return total
}

// productOf returns the product of count elements, whose order does not matter since it wraps round, by eight that do
// not wait for each other.
func productOf[T dtype.Integer](x unsafe.Pointer, count int) int64 {
	elements := slice[T](x, count)
	p0, p1, p2, p3, p4, p5, p6, p7 := int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1)
	for ; len(elements) >= 8; elements = elements[8:] {
		p0, p1, p2, p3 = p0*int64(elements[0]), p1*int64(elements[1]), p2*int64(elements[2]), p3*int64(elements[3])
		p4, p5, p6, p7 = p4*int64(elements[4]), p5*int64(elements[5]), p6*int64(elements[6]), p7*int64(elements[7])
	}
	for _, v := range elements {
		p0 *= int64(v)
	}
	return p0 * p1 * p2 * p3 * p4 * p5 * p6 * p7
}

// averagedNarrow is averaged for integers T of up to four bytes, whose sum over a segment is exact.
func averagedNarrow[T narrow](d dtype.DType) entry {
	folded := sum64.fold()
	folded.unloaded = func(x unsafe.Pointer, count int) float64 { return float64(sumOfNarrow[T](x, count)) }
	return entry{d.String(), reducer[float64, float64]{folded, loadWider[float64, T](), means[float64]()}.kernel}
}

// addingNarrow is unfinished for totals in 64 bits of integers T of up to four bytes.
func addingNarrow[T narrow](d dtype.DType, f *total[int64], empty float64) entry {
	folded := f.fold()
	folded.final = true
	switch f {
	case sumInt64:
		folded.unloaded = sumOfNarrow[T]
	case productInt64:
		folded.unloaded = productOf[T]
	}
	return entry{d.String(), reducer[int64, int64]{folded, loadWider[int64, T](), storing(orEmpty(empty, itself[int64]))}.kernel}
}
