package sorting

import (
	"math/bits"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// Key is what is sorted.
type Key interface{ int32 | int64 }

func isWide[K Key]() bool { return unsafe.Sizeof(K(0)) == 8 }

const (
	// shared is from how many keys on threads share the work.
	shared = 1 << 14
	// nanoseconds are what a key takes, about, in a list that is long enough to be shared.
	nanoseconds = 2
)

// Sort sorts keys. Scratch has as many; its contents are undefined afterwards. Threads share the two sides of the first
// partitions.
func Sort[K Key](t *parallel.Thread, keys, scratch []K) {
	list[K]{keys, scratch[:len(keys)], false}.share(t, bits.Len(uint(t.NumThreads()-1)))
}

// list is keys to be sorted: where they are, other memory for as many, and whether the result belongs there.
type list[K Key] struct {
	keys, other []K
	away        bool
}

// result is where the sorted keys belong.
func (l list[K]) result() []K {
	if l.away {
		return l.other
	}
	return l.keys
}

// share sorts l; so many more times, both sides of a partition are sorted at the same time.
func (l list[K]) share(t *parallel.Thread, times int) {
	if len(l.keys) < shared || times == 0 {
		l.sort(2 * bits.Len(uint(len(l.keys))))
		return
	}
	low, high := l.divide()
	t.ForCost(2, nanoseconds*float64(len(l.keys)/2), func(t *parallel.Thread, first, end int) {
		for side := first; side < end; side++ {
			[]list[K]{low, high}[side].share(t, times-1)
		}
	})
}

// sort sorts l in this goroutine, by quicksort for so many levels.
func (l list[K]) sort(levels int) {
	for len(l.keys) > shortest[K]() {
		if levels == 0 || features.Best < features.AVX512 {
			l.sortByBytes()
			return
		}
		levels--
		low, high := l.divide()
		if len(low.keys) > len(high.keys) {
			low, high = high, low
		}
		low.sort(levels)
		l = high
	}
	l.sortShort()
}

// divide moves the keys of l that are not above a pivot to one list, and the others to another. Each has all of the memory
// that it needs: what its result is written to belongs to it alone. Both together may be shorter than l, whose other keys are
// where they belong then; both are always shorter each.
func (l list[K]) divide() (low, high list[K]) {
	pivot := l.pivot()
	moved := partition(l.keys, l.other, pivot, l.away)
	if low, high = l.sides(moved); len(high.keys) > 0 {
		return low, high
	}
	// The pivot is the largest key. All that equal it are written to the end of the result at once.
	if l.away {
		l = list[K]{l.other, l.keys, false}
	}
	equal := l
	if pivot-1 < pivot {
		low, equal = l.sides(partition(l.keys, l.other, pivot-1, false))
	} else {
		low = list[K]{}
	}
	result := equal.result()
	for i := range result {
		result[i] = pivot
	}
	return low, list[K]{}
}

// sides returns the two lists that a partition of l has made, which moved so many keys.
func (l list[K]) sides(moved int) (low, high list[K]) {
	stayed := len(l.keys) - moved
	stay := list[K]{l.keys[:stayed], l.other[moved:], l.away}
	went := list[K]{l.other[:moved], l.keys[stayed:], !l.away}
	if l.away {
		return went, stay
	}
	return stay, went
}

// samples is the largest number of keys that a pivot is chosen of.
const samples = 128

// sampled returns how many of n keys a pivot is chosen of, the number of the first, and how far they are from one another.
func sampled(n int) (count, first, step int) {
	switch {
	case n < 1<<11:
		count = 16
	case n < 1<<16:
		count = 64
	default:
		count = samples
	}
	step = n / count
	return count, step / 2, step
}

// pivot returns the median of a sample of the keys.
func (l list[K]) pivot() K {
	var storage [samples]K
	count, at, step := sampled(len(l.keys))
	sample := storage[:count]
	for i := range sample {
		sample[i] = l.keys[at]
		at += step
	}
	list[K]{sample, sample, false}.sortShort()
	return sample[count/2]
}
