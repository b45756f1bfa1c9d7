package sorting

import "github.com/weft-nd/weft/parallel"

// From these lengths on elements of one and two bytes are sorted by counting them.
const (
	countedBytes = 256
	countedPairs = 1 << 13
)

// isCounted tells whether the elements of a list of n are of one or two bytes, and so many that each that there can be is counted.
func isCounted[B Bits](n int) bool {
	return bitsOf[B]() == 8 && n >= countedBytes || bitsOf[B]() == 16 && n >= countedPairs
}

// tally calls count for parts of src, each with counts of its own, by their places, of the elements that there are.
// Parts begin at the bounds.
func (o *Order[B]) tally(t *parallel.Thread, src []B, count func(counts []int, part []B)) (counts [][]int, bounds []int) {
	kinds, parts := 1<<bitsOf[B](), 1
	if len(src) >= shared {
		parts = t.NumThreads()
	}
	all := make([]int, parts*kinds)
	for part := range parts {
		counts, bounds = append(counts, all[part*kinds:][:kinds]), append(bounds, len(src)*part/parts)
	}
	bounds = append(bounds, len(src))
	t.ForCost(parts, float64(len(src)/parts), func(_ *parallel.Thread, first, end int) {
		for part := first; part < end; part++ {
			count(counts[part], src[bounds[part]:bounds[part+1]])
		}
	})
	return counts, bounds
}

// count counts how often each of the elements that there are is in src, and writes each as often to dst.
func (o *Order[B]) count(t *parallel.Thread, dst, src []B) {
	counts, _ := o.tally(t, src, func(counts []int, part []B) {
		for _, x := range part {
			counts[place(o.Key(x))]++
		}
	})
	starts, kinds, total := counts[0], len(counts[0]), 0
	for i := range starts {
		for _, more := range counts[1:] {
			starts[i] += more[i]
		}
		starts[i], total = total, total+starts[i]
	}
	t.ForCost(kinds, float64(len(src))/float64(kinds), func(_ *parallel.Thread, first, end int) {
		for i := first; i < end; i++ {
			last := len(src)
			if i+1 < kinds {
				last = starts[i+1]
			}
			if run := dst[starts[i]:last]; len(run) > 0 {
				element := o.element(i)
				for j := range run {
					run[j] = element
				}
			}
		}
	})
}

// countNumbers counts how often each of the ranks that there are is in src, and writes the numbers of the elements to
// where those of their rank are.
func (o *Order[B]) countNumbers(t *parallel.Thread, dst []int64, src []B) {
	counts, bounds := o.tally(t, src, func(counts []int, part []B) {
		for _, x := range part {
			counts[place(o.Rank(x))]++
		}
	})
	total := 0
	for i := range counts[0] {
		for _, own := range counts {
			own[i], total = total, total+own[i]
		}
	}
	t.ForCost(len(counts), 2*float64(len(src)/len(counts)), func(_ *parallel.Thread, first, end int) {
		for part := first; part < end; part++ {
			next, from := counts[part], bounds[part]
			for i, x := range src[from:bounds[part+1]] {
				at := &next[place(o.Rank(x))]
				dst[*at] = int64(from + i)
				*at++
			}
		}
	})
}

// place returns the place of a key among all that there are.
func place[B Bits](key B) int {
	lowest := -1 << (bitsOf[B]() - 1)
	return int(key) - lowest
}

// element returns the element whose key has the given place.
func (o *Order[B]) element(place int) B {
	lowest := -1 << (bitsOf[B]() - 1)
	return o.Element(B(place + lowest))
}
