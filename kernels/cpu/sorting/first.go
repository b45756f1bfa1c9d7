package sorting

import (
	"math"

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
	best := o.candidates(t, src, k, o.guess(src, k))
	if len(best.numbers) < k {
		best = o.candidates(t, src, k, o.highest())
	}
	best.keep(o, k)
	copy(dst, best.numbers)
}

// sortsAll reports whether the first k of n elements are so many that it is best to sort all.
func sortsAll(k, n int) bool { return n < 256 || k > n/8 }

// FirstScratch returns how many elements of scratch First needs for the first k of n elements.
func FirstScratch(k, n int) int {
	if sortsAll(k, n) {
		return 2 * n
	}
	return 0
}

// guess returns a key that at least k elements do not exceed, most likely, but not many more.
func (o *Order[B]) guess(src []B, k int) B {
	count := min(max(len(src)/8, 64), 2048)
	sample, scratch, step := make([]B, count), make([]B, count), len(src)/count
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

// candidates returns the elements with keys up to bound that may be among the first k.
func (o *Order[B]) candidates(t *parallel.Thread, src []B, k int, bound B) found[B] {
	n, parts := len(src), 1
	if n >= shared {
		parts = t.NumThreads()
	}
	all := make([]found[B], parts)
	t.ForCost(parts, float64(n/parts), func(_ *parallel.Thread, first, end int) {
		for part := first; part < end; part++ {
			all[part] = o.scan(src, n*part/parts, n*(part+1)/parts, k, bound)
		}
	})
	best := all[0]
	for _, more := range all[1:] {
		best.elements, best.numbers = append(best.elements, more.elements...), append(best.numbers, more.numbers...)
	}
	return best
}

// keep sorts the candidates and drops all but the first k.
func (c *found[B]) keep(o *Order[B], k int) {
	n := len(c.elements)
	numbers := make([]int64, 2*n)
	o.Argsort(parallel.Serial(), numbers[:n], c.elements, numbers[n:])
	kept := found[B]{make([]B, k, cap(c.elements)), make([]int64, k, cap(c.elements))}
	for i, from := range numbers[:k] {
		kept.elements[i], kept.numbers[i] = c.elements[from], c.numbers[from]
	}
	*c = kept
}

// scan returns candidates among the elements [lo, hi) with keys up to bound. Whenever they have become many, the first k of them
// are kept, and later ones must come before the last of those.
func (o *Order[B]) scan(src []B, lo, hi, k int, bound B) (c found[B]) {
	const block = 512
	limit := max(4*k, 2048)
	var keys [block]B
	c = found[B]{make([]B, 0, 2*k+64), make([]int64, 0, 2*k+64)}
	for at := lo; at < hi; at += block {
		part := src[at:min(at+block, hi)]
		o.Encode(keys[:], part)
		for i, key := range keys[:len(part)] {
			if key <= bound {
				c.elements, c.numbers = append(c.elements, part[i]), append(c.numbers, int64(at+i))
			}
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
