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

// count counts how often each of the elements that there are is in src, and writes each as often to dst.
func (o *Order[B]) count(t *parallel.Thread, dst, src []B) {
	kinds := 1 << bitsOf[B]()
	parts := 1
	if len(src) >= shared {
		parts = t.NumThreads()
	}
	counts := make([]int, parts*kinds)
	bound := func(part int) int { return len(src) * part / parts }
	t.ForCost(parts, float64(len(src)/parts), func(_ *parallel.Thread, first, end int) {
		for part := first; part < end; part++ {
			own := counts[part*kinds:][:kinds]
			for _, x := range src[bound(part):bound(part+1)] {
				own[o.number(x)]++
			}
		}
	})
	starts := counts[:kinds]
	total := 0
	for i := range starts {
		for part := parts - 1; part > 0; part-- {
			starts[i] += counts[part*kinds+i]
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

// number returns the place of x among all elements that there are.
func (o *Order[B]) number(x B) int {
	lowest := -1 << (bitsOf[B]() - 1)
	return int(o.Key(x)) - lowest
}

// element returns the element with the given place.
func (o *Order[B]) element(number int) B {
	lowest := -1 << (bitsOf[B]() - 1)
	return o.Element(B(number + lowest))
}
