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
		countAll(t, dst[:len(src)])
	case isCounted[B](len(src)):
		o.countNumbers(t, dst, src)
	case len(src) > longest:
		o.compareAll(dst, src)
	case bitsOf[B]() == 64:
		o.argsortWide(t, dst, src, scratch)
	default:
		o.sortWords(t, dst[:len(src)], src, scratch)
		keepAllBits(t, dst[:len(src)], 1<<32-1)
	}
}

// sortWords writes words of the ranks of the elements of src, of up to 32 bits, and of their numbers below, in their order.
func (o *Order[B]) sortWords(t *parallel.Thread, dst []int64, src []B, scratch []int64) {
	if len(src) <= block {
		o.writeWords(dst, src, 0)
	} else {
		blocks(t, len(src), func(lo, hi int) { o.writeWords(dst[lo:hi], src[lo:hi], lo) })
	}
	if !ascending(t, dst) {
		Sort(t, dst, scratch)
	}
}

// writeWords writes words of the ranks of elements, and of their numbers from first on.
func (o *Order[B]) writeWords(dst []int64, src []B, first int) {
	for i, x := range src {
		dst[i] = int64(o.Rank(x))<<32 | int64(first+i)
	}
}

func countAll(t *parallel.Thread, dst []int64) {
	if len(dst) <= block {
		count(dst, 0)
		return
	}
	blocks(t, len(dst), func(lo, hi int) { count(dst[lo:hi], lo) })
}

// count writes the numbers from first on.
func count(dst []int64, first int) {
	for i := range dst {
		dst[i] = int64(first + i)
	}
}

func keepAllBits(t *parallel.Thread, words []int64, mask int64) {
	if len(words) <= block {
		keepBits(words, mask)
		return
	}
	blocks(t, len(words), func(lo, hi int) { keepBits(words[lo:hi], mask) })
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
	w.writeAll(t, dst)
	Sort(t, dst, scratch)
	if w.cut > 0 {
		w.refineAll(t, dst, scratch)
	}
	keepAllBits(t, dst, 1<<numberBits-1)
}

// extent tells of ranks the smallest and the largest.
type extent[B Bits] struct{ low, high B }

func (e extent[B]) with(other extent[B]) extent[B] {
	return extent[B]{min(e.low, other.low), max(e.high, other.high)}
}

// extent returns the smallest rank, and how far the largest is above it.
func (o *Order[B]) extent(t *parallel.Thread, src []B) (low, spread uint64) {
	const part = 1 << 14
	var all extent[B]
	if len(src) <= part {
		all = o.extentOf(src)
	} else {
		all, _ = parallel.Reduce(t, len(src), part, func(_ *parallel.Thread, lo, hi int) extent[B] { return o.extentOf(src[lo:hi]) }, extent[B].with)
	}
	return uint64(all.low), uint64(all.high) - uint64(all.low)
}

func (o *Order[B]) extentOf(src []B) extent[B] {
	e := extent[B]{o.Rank(src[0]), o.Rank(src[0])}
	for _, x := range src[1:] {
		rank := o.Rank(x)
		e.low, e.high = min(e.low, rank), max(e.high, rank)
	}
	return e
}
