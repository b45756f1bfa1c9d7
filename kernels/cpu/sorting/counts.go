package sorting

import (
	"sort"

	"github.com/weft-nd/weft/parallel"
)

// DifferentCounts is Different for an ascending order and results that have the different elements and their counts
// alone, which is to sort the elements themselves. Scratch has ScratchLength elements, as for Sort; its contents are
// undefined afterwards, and so is what is behind the different ones.
func (o *Order[B]) DifferentCounts(t *parallel.Thread, elements []B, counts []int64, src, scratch []B) (different int) {
	n := len(src)
	switch {
	case n == 0:
		return 0
	case isCounted[B](n):
		return o.differentByKinds(t, Different[B]{Elements: elements, Counts: counts}, src)
	}
	o.Sort(t, elements[:n], src, scratch)
	isFloat, numbers := o.mask != 0, n
	if isFloat {
		numbers = sort.Search(n, func(i int) bool { return o.IsNaN(o.Key(elements[i])) })
	}
	different = compact(t, elements[:numbers], counts)
	if isFloat {
		different = o.joinZeros(elements, counts, different, src)
		o.copyNaNs(elements[different:], counts[different:], src, n-numbers)
	}
	return different + n - numbers
}

// compact leaves of elements that are in order one of each, and their counts.
func compact[B Bits](t *parallel.Thread, elements []B, counts []int64) (different int) {
	n := len(elements)
	if n == 0 {
		return 0
	}
	parts := partsOf(t, n)
	befores, found := make([]B, parts), make([]struct{ continued, different int }, parts)
	for part := 1; part < parts; part++ {
		befores[part] = elements[n*part/parts-1]
	}
	eachPart(t, parts, n, func(part, lo, hi int) {
		f, own := &found[part], elements[lo:hi]
		if part > 0 {
			for f.continued < len(own) && own[f.continued] == befores[part] {
				f.continued++
			}
		}
		f.different = compactPart(own, counts[lo:hi], f.continued)
	})
	for part, f := range found {
		lo := n * part / parts
		if f.continued > 0 {
			counts[different-1] += int64(f.continued)
		}
		copy(elements[different:], elements[lo:lo+f.different])
		copy(counts[different:], counts[lo:lo+f.different])
		different += f.different
	}
	return different
}

// compactPart is compact for the elements from first on.
func compactPart[B Bits](elements []B, counts []int64, first int) (different int) {
	if first == len(elements) {
		return 0
	}
	start, before := first, elements[first]
	for i := first + 1; i < len(elements); i++ {
		if x := elements[i]; x != before {
			elements[different], counts[different] = before, int64(i-start)
			different++
			start, before = i, x
		}
	}
	elements[different], counts[different] = before, int64(len(elements)-start)
	return different + 1
}

// joinZeros makes one of -0 and 0 where both are there: the one that is first in src.
func (o *Order[B]) joinZeros(elements []B, counts []int64, different int, src []B) int {
	const zero = 0
	negative := B(-1) << (bitsOf[B]() - 1)
	at := sort.Search(different, func(i int) bool { return o.Key(elements[i]) >= o.Key(negative) })
	if at+1 >= different || elements[at] != negative || elements[at+1] != zero {
		return different
	}
	counts[at] += counts[at+1]
	copy(elements[at+1:], elements[at+2:different])
	copy(counts[at+1:], counts[at+2:different])
	for _, x := range src {
		if x == zero || x == negative {
			elements[at] = x
			break
		}
	}
	return different - 1
}

// copyNaNs copies so many NaN, all that src has, in their order.
func (o *Order[B]) copyNaNs(elements []B, counts []int64, src []B, count int) {
	found := 0
	for _, x := range src {
		if found == count {
			return
		}
		if o.IsNaN(o.Key(x)) {
			elements[found], counts[found] = x, 1
			found++
		}
	}
}
