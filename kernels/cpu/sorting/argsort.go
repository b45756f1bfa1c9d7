package sorting

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/weft-nd/weft/parallel"
)

// longest is up to how many elements a rank and a number fit into a word as Argsort wants it.
const longest = 1 << 32

// Argsort writes the numbers of the elements of src to dst in the order of their ranks; of equal ones the first comes first.
// Dst has as many elements as src. Scratch has ScratchLength elements; its contents are undefined afterwards.
//
// What is sorted are words of a rank and a number below it, which are all different. Of 64-bit ranks the word has as many
// of the highest bits that differ as there is room for; elements that agree in those are sorted once more by the others.
func (o *Order[B]) Argsort(t *parallel.Thread, dst []int64, src []B, scratch []int64) {
	switch {
	case len(src) == 0:
	case o.ascends(t, src):
		blocks(t, len(src), func(lo, hi int) { count(dst[lo:hi], lo) })
	case isCounted[B](len(src)):
		o.countNumbers(t, dst, src)
	case len(src) > longest:
		o.compareAll(dst, src)
	case bitsOf[B]() == 64:
		o.argsortWide(t, dst, src, scratch)
	default:
		o.sortWords(t, dst[:len(src)], src, scratch)
		blocks(t, len(src), func(lo, hi int) { keepBits(dst[lo:hi], 1<<32-1) })
	}
}

// sortWords writes words of the ranks of the elements of src, of up to 32 bits, and of their numbers below, in their order.
func (o *Order[B]) sortWords(t *parallel.Thread, dst []int64, src []B, scratch []int64) {
	blocks(t, len(src), func(lo, hi int) {
		for i, x := range src[lo:hi] {
			dst[lo+i] = int64(o.Rank(x))<<32 | int64(lo+i)
		}
	})
	if !ascending(t, dst) {
		Sort(t, dst, scratch)
	}
}

// count writes the numbers from first on.
func count(dst []int64, first int) {
	for i := range dst {
		dst[i] = int64(first + i)
	}
}

func keepBits(words []int64, mask int64) {
	for i := range words {
		words[i] &= mask
	}
}

// compareAll is Argsort for any number of elements.
func (o *Order[B]) compareAll(dst []int64, src []B) {
	count(dst[:len(src)], 0)
	slices.SortFunc(dst[:len(src)], func(i, j int64) int {
		return cmp.Or(cmp.Compare(o.Rank(src[i]), o.Rank(src[j])), cmp.Compare(i, j))
	})
}

// argsortWide is Argsort for 64-bit ranks.
func (o *Order[B]) argsortWide(t *parallel.Thread, dst []int64, src []B, scratch []int64) {
	dst = dst[:len(src)]
	low, spread := o.extent(t, src)
	numberBits := bits.Len(uint(len(src) - 1))
	w := words[B]{o, src, low, max(0, bits.Len64(spread)+numberBits-64), numberBits}
	blocks(t, len(src), func(lo, hi int) {
		for i, x := range src[lo:hi] {
			dst[lo+i] = signed(w.above(x)>>w.cut<<numberBits | uint64(lo+i))
		}
	})
	Sort(t, dst, scratch)
	if w.cut > 0 {
		w.refineAll(t, dst, scratch)
	}
	blocks(t, len(src), func(lo, hi int) { keepBits(dst[lo:hi], 1<<numberBits-1) })
}

// extent returns the smallest rank, and how far the largest is above it.
func (o *Order[B]) extent(t *parallel.Thread, src []B) (low, spread uint64) {
	type range_ struct{ low, high B }
	found, _ := parallel.Reduce(t, len(src), 1<<14, func(_ *parallel.Thread, lo, hi int) range_ {
		r := range_{o.Rank(src[lo]), o.Rank(src[lo])}
		for _, x := range src[lo:hi] {
			rank := o.Rank(x)
			r.low, r.high = min(r.low, rank), max(r.high, rank)
		}
		return r
	}, func(a, b range_) range_ { return range_{min(a.low, b.low), max(a.high, b.high)} })
	return uint64(found.low), uint64(found.high) - uint64(found.low)
}
