package sorting

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// Sort writes the elements of src to dst, in the order of their keys. Dst has as many and may be src. Scratch has ScratchLength
// elements, whose contents are undefined afterwards; it may be nil for elements of one or two bytes.
func (o *Order[B]) Sort(t *parallel.Thread, dst, src, scratch []B) {
	switch {
	case len(src) == 0:
	case bitsOf[B]() == 64:
		sortElements[int64](t, o, dst, src, scratch)
	case bitsOf[B]() == 32:
		sortElements[int32](t, o, dst, src, scratch)
	case isCounted[B](len(src)):
		o.count(t, dst, src)
	default:
		o.widened(dst, src)
	}
}

func sortElements[K Key, B Bits](t *parallel.Thread, o *Order[B], dst, src, scratch []B) {
	dst = dst[:len(src)]
	keys := slice[K](dst)
	if len(src) <= block {
		o.Encode(dst, src)
	} else {
		blocks(t, len(src), func(lo, hi int) { o.Encode(dst[lo:hi], src[lo:hi]) })
	}
	if !ascending(t, keys) {
		Sort(t, keys, slice[K](scratch))
	}
	switch {
	case *o == (Order[B]{}):
	case len(src) <= block:
		o.Decode(dst, dst)
	default:
		blocks(t, len(src), func(lo, hi int) { o.Decode(dst[lo:hi], dst[lo:hi]) })
	}
}

// beginning is how many elements tell that others are not sorted already, most likely.
const beginning = 32

// ascending reports whether keys are sorted already.
func ascending[K Key](t *parallel.Thread, keys []K) bool {
	switch {
	case !isSorted(keys[:min(beginning, len(keys))]):
		return false
	case len(keys) <= block:
		return isSorted(keys)
	}
	return inOrder(t, len(keys), block, func(lo, hi int) bool { return isSorted(keys[lo:hi]) })
}

// ascends reports whether the keys of elements ascend, and with them their ranks.
func (o *Order[B]) ascends(t *parallel.Thread, elements []B) bool {
	var keys [beginning]B
	first := keys[:min(beginning, len(elements))]
	o.Encode(first, elements[:len(first)])
	return areSorted(first) && (len(elements) == len(first) || o.allAscend(t, elements))
}

func (o *Order[B]) allAscend(t *parallel.Thread, elements []B) bool {
	const step = 256
	return inOrder(t, len(elements), step, func(lo, hi int) bool {
		var keys [step + 1]B
		o.Encode(keys[:], elements[lo:hi])
		return areSorted(keys[:hi-lo])
	})
}

// areSorted is isSorted for keys of any size.
func areSorted[B Bits](keys []B) bool {
	switch bitsOf[B]() {
	case 64:
		return isSorted(slice[int64](keys))
	case 32:
		return isSorted(slice[int32](keys))
	}
	return slices.IsSorted(keys)
}

// inOrder reports whether n elements are sorted, by parts of them of so many, each behind the last of the one before.
func inOrder(t *parallel.Thread, n, step int, sorted func(lo, hi int) bool) bool {
	var broken atomic.Bool
	blocks(t, n, func(lo, hi int) {
		for ; lo < hi && !broken.Load(); lo += step {
			if !sorted(max(0, lo-1), min(lo+step, hi)) {
				broken.Store(true)
			}
		}
	})
	return !broken.Load()
}

// slice returns x as integers of the same size.
func slice[To, From any](x []From) []To {
	return unsafe.Slice((*To)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// block is for how many elements one thread does what is simple.
const block = 1 << 12

// blocks lets threads share what is simple to do for each of n elements. To make body takes longer than a short list,
// so callers that may have many of those do those without.
func blocks(t *parallel.Thread, n int, body func(lo, hi int)) {
	if n <= block {
		body(0, n)
		return
	}
	t.ForCost((n+block-1)/block, block/4, func(_ *parallel.Thread, lo, hi int) { body(lo*block, min(hi*block, n)) })
}

// widened sorts short lists of small elements by keys of 32 bits.
func (o *Order[B]) widened(dst, src []B) {
	var storage [2 * 256]int32
	keys := storage[:]
	if 2*len(src) > len(keys) {
		keys = make([]int32, 2*len(src))
	}
	keys, scratch := keys[:len(src)], keys[len(src):]
	for i, x := range src {
		keys[i] = int32(o.Key(x))
	}
	list[int32]{keys, scratch}.sort(len(src))
	for i, key := range keys {
		dst[i] = o.Element(B(key))
	}
}
