package sorting

import (
	"math"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// First writes the numbers of the first len(dst) elements of src in the order of their ranks to dst, as Argsort would. Scratch
// has FirstScratch elements; its contents are undefined afterwards.
//
// A sample tells up to which key elements may be among the first. Should fewer than are wanted be so low, which is unlikely,
// all are candidates.
func (o *Order[B]) First(t *parallel.Thread, dst []int64, src []B, scratch []int64) {
	k, n := len(dst), len(src)
	if k == 0 {
		return
	}
	if sortsAll(k, n) {
		numbers := scratch[:n]
		o.Argsort(t, numbers, src, scratch[n:])
		copy(dst, numbers)
		return
	}
	w := borrow()
	defer w.giveBack()
	best := o.candidates(t, w, src, k, o.guess(w, src, k))
	if len(best.numbers) < k {
		best = o.candidates(t, w, src, k, o.highest())
	}
	for i, from := range best.order(o, w)[:k] {
		dst[i] = best.numbers[from]
	}
}

// sortsAll reports whether the first k of n elements are so many that it is best to sort all.
func sortsAll(k, n int) bool { return n < 256 || k > n/8 }

// FirstScratch returns how many elements of scratch First needs for the first k of n elements.
func FirstScratch(k, n int) int {
	if sortsAll(k, n) {
		return n + ScratchLength(n)
	}
	return 0
}

// guess returns a key that at least k elements do not exceed, most likely, but not many more.
func (o *Order[B]) guess(w *workspace, src []B, k int) B {
	count := min(max(len(src)/16, 128), 2048)
	sample, scratch, step := take[B](w, count), take[B](w, ScratchLength(count)), len(src)/count
	for i := range sample {
		sample[i] = src[i*step]
	}
	o.Sort(parallel.Serial(), sample, sample, scratch)
	expected := float64(k) * float64(count) / float64(len(src))
	at := int(expected+3*math.Sqrt(expected)) + 3
	if at >= count {
		return o.highest()
	}
	_, high := o.keysOf(o.Rank(sample[at]))
	return high
}

// found are elements that may be among the first, in the order of their numbers where they are equal.
type found[B Bits] struct {
	elements []B
	numbers  []int64
}

func newFound[B Bits](w *workspace, room int) found[B] {
	return found[B]{take[B](w, room)[:0], take[int64](w, room)[:0]}
}

// shared is from how many elements on threads share a pass over them.
const shared = 1 << 14

// candidates returns the elements with keys up to bound that may be among the first k.
func (o *Order[B]) candidates(t *parallel.Thread, w *workspace, src []B, k int, bound B) found[B] {
	n := len(src)
	if n < shared {
		return o.scan(w, src, 0, n, k, bound)
	}
	parts := t.NumThreads()
	all := make([]found[B], parts)
	t.ForCost(parts, float64(n/parts)/4, func(_ *parallel.Thread, first, end int) {
		for part := first; part < end; part++ {
			all[part] = o.scan(&workspace{}, src, n*part/parts, n*(part+1)/parts, k, bound)
		}
	})
	best := all[0]
	for _, more := range all[1:] {
		best.elements, best.numbers = append(best.elements, more.elements...), append(best.numbers, more.numbers...)
	}
	return best
}

// order returns the places of the candidates in their order.
func (c *found[B]) order(o *Order[B], w *workspace) []int64 {
	n := len(c.elements)
	places := take[int64](w, n)
	o.Argsort(parallel.Serial(), places, c.elements, take[int64](w, ScratchLength(n)))
	return places
}

// keep sorts the candidates and drops all but the first k.
func (c *found[B]) keep(o *Order[B], k int) {
	w := borrow()
	defer w.giveBack()
	kept := newFound[B](w, k)
	for _, from := range c.order(o, w)[:k] {
		kept.elements, kept.numbers = append(kept.elements, c.elements[from]), append(kept.numbers, c.numbers[from])
	}
	c.elements, c.numbers = append(c.elements[:0], kept.elements...), append(c.numbers[:0], kept.numbers...)
}

// scan returns candidates among the elements [lo, hi) with keys up to bound. Whenever they have become many, the first k of them
// are kept, and later ones must come before the last of those.
func (o *Order[B]) scan(w *workspace, src []B, lo, hi, k int, bound B) (c found[B]) {
	const block = 512
	limit := max(4*k, 256) // more than a guess lets through, unless many are equal: then the others are to be left out soon
	numbers := take[int32](w, block)
	c = newFound[B](w, limit+block)
	for at := lo; at < hi; at += block {
		part := src[at:min(at+block, hi)]
		for _, i := range numbers[:o.choose(numbers, part, bound)] {
			c.elements, c.numbers = append(c.elements, part[i]), append(c.numbers, int64(at)+int64(i))
		}
		if len(c.elements) >= limit {
			c.keep(o, k)
			low, _ := o.keysOf(o.Rank(c.elements[k-1]))
			if low-1 > low {
				break // no key is less
			}
			bound = low - 1
		}
	}
	return c
}

// choose writes the numbers of the elements of src with keys up to bound to numbers, which has room for all, and returns how many
// they are.
func (o *Order[B]) choose(numbers []int32, src []B, bound B) (found int) {
	done := 0
	if features.Best >= features.AVX2 && len(src) > 0 {
		done, found = fastSelect(numbers, src, o, bound)
	}
	for i := done; i < len(src); i++ {
		numbers[found] = int32(i)
		if o.Key(src[i]) <= bound {
			found++
		}
	}
	return found
}

// highest returns the largest key there is.
func (o *Order[B]) highest() B { return ^(B(-1) << (bitsOf[B]() - 1)) }

// keysOf returns the smallest and the largest key of the elements of a rank.
func (o *Order[B]) keysOf(rank B) (low, high B) {
	if o.mask == 0 {
		return rank, rank
	}
	low, high = rank^o.flip, rank^o.flip
	switch low {
	case -o.shift:
		low-- // that of −0
	case o.nan:
		high = o.highest()
	}
	if o.flip != 0 {
		return ^high, ^low
	}
	return low, high
}
