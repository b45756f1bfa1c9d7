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
	// sharedKeys is from how many keys on threads share a sort.
	sharedKeys = 1 << 12
	// nanoseconds are what a key takes, about, in a list that is long enough to be shared.
	nanoseconds = 2
)

// Sort sorts keys. Scratch has ScratchLength of them; its contents are undefined afterwards. Threads share the two sides of the first
// partitions.
func Sort[K Key](t *parallel.Thread, keys, scratch []K) {
	list[K]{keys, scratch}.share(t, bits.Len(uint(t.NumThreads()-1)))
}

// ScratchLength returns how many keys of scratch Sort needs for n keys.
func ScratchLength(n int) int {
	if features.Best >= features.AVX2 {
		return 0
	}
	return n
}

// list is keys to be sorted, and other memory for as many, unless it is made when it is needed.
type list[K Key] struct{ keys, other []K }

// share sorts l; so many more times, both sides of a partition are sorted at the same time.
func (l list[K]) share(t *parallel.Thread, times int) {
	if len(l.keys) < sharedKeys || times == 0 {
		l.sort(2 * bits.Len(uint(len(l.keys))))
		return
	}
	low, high := l.divide(sharingPivot(l.keys))
	t.ForCost(2, nanoseconds*float64(len(l.keys)/2), func(t *parallel.Thread, first, end int) {
		for side := first; side < end; side++ {
			[]list[K]{low, high}[side].share(t, times-1)
		}
	})
}

// sort sorts l in this goroutine, by quicksort for so many levels.
func (l list[K]) sort(levels int) {
	for len(l.keys) > shortest[K]() {
		if levels == 0 || features.Best < features.AVX2 {
			l.sortByBytes()
			return
		}
		levels--
		low, high := l.divide(pivot(l.keys))
		if len(low.keys) > len(high.keys) {
			low, high = high, low
		}
		low.sort(levels)
		l = high
	}
	sortShort(l.keys)
}

// divide moves the keys of l that are not above pivot, one of them, to one list, and the others to another. Both
// together may be shorter than l, whose other keys are where they belong then; both are always shorter each.
func (l list[K]) divide(pivot K) (low, high list[K]) {
	if low, high = l.sides(partition(l.keys, pivot)); len(high.keys) > 0 {
		return low, high
	}
	// The pivot is the largest key. All that equal it are at the end at once.
	if pivot-1 > pivot {
		return list[K]{}, list[K]{}
	}
	low, _ = l.sides(partition(l.keys, pivot-1))
	return low, list[K]{}
}

// sides returns the two lists of the first keys of l and the others.
func (l list[K]) sides(first int) (low, high list[K]) {
	if len(l.other) < len(l.keys) {
		return list[K]{keys: l.keys[:first]}, list[K]{keys: l.keys[first:]}
	}
	return list[K]{l.keys[:first], l.other[:first]}, list[K]{l.keys[first:], l.other[first:]}
}

// samples is the largest number of keys that the pivot of one thread is chosen of: networks sort as many of most kinds.
const samples = 128

// sampled returns how many of n keys a pivot is chosen of, the number of the first, and how far they are from one another.
func sampled[K Key](n int) (count, first, step int) {
	switch {
	case n < 1<<11:
		count = 16
	case n < 1<<16:
		count = 64
	default:
		count = min(samples, shortest[K]())
	}
	step = n / count
	return count, step / 2, step
}

// pivot returns the median of a sample of keys.
func pivot[K Key](keys []K) K {
	var storage [samples]K
	count, at, step := sampled[K](len(keys))
	sample := storage[:count]
	for i := range sample {
		sample[i] = keys[at]
		at += step
	}
	sortShort(sample)
	return sample[count/2]
}

// sharingPivot is pivot for lists of sharedKeys or more whose two sides are for two threads: of more keys, as the
// larger side is what takes long.
func sharingPivot[K Key](keys []K) K {
	const most = 1 << 10
	w := borrow()
	defer w.giveBack()
	sample := take[K](w, min(len(keys)/64, most))
	step := len(keys) / len(sample)
	for i := range sample {
		sample[i] = keys[i*step+step/2]
	}
	list[K]{sample, take[K](w, len(sample))}.sort(2 * bits.Len(most))
	return sample[len(sample)/2]
}
