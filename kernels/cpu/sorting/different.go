package sorting

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// Different is what is found of the different elements of a list: each has room for as many as the list has elements.
type Different[B Bits] struct {
	Elements []B     // the different ones in the order of their ranks: of those that compare equal, the first in the list
	Firsts   []int64 // where each of these is in the list
	Counts   []int64 // how many elements of the list compare equal to each
	Places   []int64 // for each element of the list, the place of its equal among the different ones
}

// Different finds the different elements of src, and returns how many there are; each NaN differs from all others. What
// is behind them in the first three of d stays as it is. Scratch has DifferentScratch elements; its contents are
// undefined afterwards.
func (o *Order[B]) Different(t *parallel.Thread, d Different[B], src []B, scratch []int64) (different int) {
	switch n := len(src); {
	case n == 0:
		return 0
	case isCounted[B](n):
		return o.differentByKinds(t, d, src)
	case n > longest:
		return o.differentByComparisons(d, src, scratch[:n])
	default:
		return o.differentByRanks(t, d, src, scratch[:n], scratch[n:2*n], scratch[2*n:3*n])
	}
}

// DifferentScratch returns how many elements of scratch Different needs for n elements.
func DifferentScratch[B Bits](n int) int {
	if isCounted[B](n) {
		return 0
	}
	return 3 * n
}

// runs are what begins in a part of a list that is in order: runs of equal elements.
type runs struct {
	count, before int // of those that begin in the part, and in all parts before it
	first, end    int // where the first begins, and the last ends
}

// differentByRanks finds equal elements beside each other in the order of ranks.
func (o *Order[B]) differentByRanks(t *parallel.Thread, d Different[B], src []B, words, scratch, pairs []int64) (different int) {
	n := len(src)
	r := o.ranked(t, words, src, scratch)
	found := make([]runs, partsOf(t, n))
	eachPart(t, len(found), n, func(part, lo, hi int) { found[part] = r.runs(lo, hi) })
	for part := range found {
		found[part].before = different
		different += found[part].count
	}
	end := n
	for part := len(found) - 1; part >= 0; part-- {
		if found[part].end = end; found[part].count > 0 {
			end = found[part].first
		}
	}
	eachPart(t, len(found), n, func(part, lo, hi int) { r.write(d, src, found[part], lo, hi) })
	scatter(t, d.Places, words, pairs)
	return different
}

// differentByComparisons finds them for any number of elements.
func (o *Order[B]) differentByComparisons(d Different[B], src []B, numbers []int64) (different int) {
	o.compareAll(numbers, src)
	before := B(0)
	for i, number := range numbers {
		rank := o.Rank(src[number])
		if i == 0 || rank != before || o.IsNaN(rank) {
			d.Elements[different], d.Firsts[different], d.Counts[different] = src[number], number, 0
			different++
		}
		d.Counts[different-1]++
		d.Places[number] = int64(different - 1)
		before = rank
	}
	return different
}

// ranked is a list in the order of ranks.
type ranked[B Bits] struct {
	order *Order[B]
	words []int64 // the numbers of the elements, and above them the ranks if these have at most 32 bits
	ranks []B     // longer ones
}

// ranked puts the elements of src in the order of their ranks, in the memory of words and scratch.
func (o *Order[B]) ranked(t *parallel.Thread, words []int64, src []B, scratch []int64) *ranked[B] {
	r := &ranked[B]{order: o, words: words}
	if bitsOf[B]() < 64 {
		o.sortWords(t, words, src, scratch)
		return r
	}
	o.Argsort(t, words, src, scratch)
	r.ranks = unsafe.Slice((*B)(unsafe.Pointer(unsafe.SliceData(scratch))), len(src))
	blocks(t, len(src), func(lo, hi int) {
		for i, number := range words[lo:hi] {
			r.ranks[lo+i] = o.Rank(src[number])
		}
	})
	return r
}

// rank returns the rank of the element at a place.
func (r *ranked[B]) rank(place int) B {
	if bitsOf[B]() < 64 {
		return B(r.words[place] >> 32)
	}
	return r.ranks[place]
}

// runs finds the runs that begin from lo on, and before hi.
func (r *ranked[B]) runs(lo, hi int) (found runs) {
	found.first = hi
	isFloat, before := r.order.mask != 0, B(0)
	if lo > 0 {
		before = r.rank(lo - 1)
	}
	for i := lo; i < hi; i++ {
		rank := r.rank(i)
		if rank != before || i == 0 || isFloat && r.order.IsNaN(rank) {
			found.first = min(found.first, i)
			found.count++
		}
		before = rank
	}
	return found
}

// write writes the runs that were found from lo to hi. It leaves words of a number and, above it, the place of the run
// that the element is in.
func (r *ranked[B]) write(d Different[B], src []B, found runs, lo, hi int) {
	elements, firsts, counts := d.Elements, d.Firsts, d.Counts
	isFloat, at, start, before := r.order.mask != 0, found.before, lo, r.rank(lo)
	for i := lo; i < hi; i++ {
		rank, number := r.rank(i), r.words[i]&lowerHalf
		if rank != before || i == found.first || isFloat && r.order.IsNaN(rank) {
			if i > found.first {
				counts[at-1] = int64(i - start)
			}
			elements[at], firsts[at] = r.order.elementOf(rank, src, number), number
			at++
			start, before = i, rank
		}
		r.words[i] = number | int64(at-1)<<32
	}
	if found.count > 0 {
		counts[at-1] = int64(found.end - start)
	}
}

// elementOf returns the element of src with the given rank and number, from the rank if that tells all of its bits.
func (o *Order[B]) elementOf(rank B, src []B, number int64) B {
	x := o.Element(rank)
	if o.mask != 0 && (x == 0 || o.IsNaN(rank)) {
		return src[number]
	}
	return x
}
