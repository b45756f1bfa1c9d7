package sorting

import "github.com/weft-nd/weft/parallel"

// words relates words, as Argsort sorts them, to elements with ranks of 64 bits.
type words[B Bits] struct {
	order      *Order[B]
	elements   []B
	low        uint64 // the smallest rank
	cut        int    // bits of a rank that are not in its word, at most numberBits
	numberBits int
}

// signed returns the key that is to others as word is to theirs.
func signed(word uint64) int64 { return int64(word ^ 1<<63) }

// above returns how far the rank of x is above the smallest.
func (w words[B]) above(x B) uint64 { return uint64(w.order.Rank(x)) - w.low }

// agree reports whether two words have the same bits of ranks.
func (w words[B]) agree(a, b int64) bool { return a>>w.numberBits == b>>w.numberBits }

// writeAll writes the words of all elements.
func (w words[B]) writeAll(t *parallel.Thread, dst []int64) {
	if len(dst) <= block {
		w.write(dst, 0)
		return
	}
	blocks(t, len(dst), func(lo, hi int) { w.write(dst[lo:hi], lo) })
}

// write writes the words of the elements from first on.
func (w words[B]) write(dst []int64, first int) {
	for i, x := range w.elements[first : first+len(dst)] {
		dst[i] = signed(w.above(x)>>w.cut<<w.numberBits | uint64(first+i))
	}
}

// refineAll sorts each run of words that agree by the other bits of the ranks. Threads do so in blocks; the runs that touch the
// end of a block, at which others look, come after that.
func (w words[B]) refineAll(t *parallel.Thread, all, scratch []int64) {
	n := len(all)
	if n <= block {
		w.refineBlock(t, all, scratch, 0)
		return
	}
	t.ForCost((n+block-1)/block, block, func(t *parallel.Thread, first, end int) {
		for lo := first * block; lo < min(end*block, n); lo += block {
			w.refineBlock(t, all, scratch, lo)
		}
	})
	for edge := block; edge < n; edge += block {
		for _, inside := range []int{edge - 1, edge} {
			begin, after := inside, inside+1
			for begin > 0 && w.agree(all[begin-1], all[inside]) {
				begin--
			}
			for after < n && w.agree(all[after], all[inside]) {
				after++
			}
			if after-begin > 1 {
				w.refine(t, all[begin:after], between(scratch, begin, after))
			}
			edge = max(edge, (after-1)/block*block)
		}
	}
}

// refineBlock sorts the runs inside the block that begins at lo.
func (w words[B]) refineBlock(t *parallel.Thread, all, scratch []int64, lo int) {
	n := len(all)
	hi := min(lo+block, n)
	for begin := lo; begin < hi; {
		after := begin + 1
		for after < hi && w.agree(all[begin], all[after]) {
			after++
		}
		if after-begin > 1 && (begin > lo || lo == 0) && (after < hi || hi == n) {
			w.refine(t, all[begin:after], between(scratch, begin, after))
		}
		begin = after
	}
}

// refine sorts a run of words that agree.
func (w words[B]) refine(t *parallel.Thread, run, scratch []int64) {
	numbers := int64(1)<<w.numberBits - 1
	common := run[0] &^ numbers
	for i, word := range run {
		number := uint64(word & numbers)
		rest := w.above(w.elements[number]) & (1<<w.cut - 1)
		run[i] = signed(rest<<w.numberBits | number)
	}
	Sort(t, run, scratch)
	for i, word := range run {
		run[i] = common | word&numbers
	}
}

// between returns the keys [from, to) of scratch, if there is any.
func between[K Key](scratch []K, from, to int) []K {
	if len(scratch) < to {
		return nil
	}
	return scratch[from:to]
}
