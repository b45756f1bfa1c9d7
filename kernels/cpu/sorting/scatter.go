package sorting

import (
	"math/bits"

	"github.com/weft-nd/weft/parallel"
)

// scatter writes the upper half of each word to where the lower half says, which is another place for each of them.
// Pairs is memory for as many words.
//
// Places that lie anywhere in much memory would be fetched one by one. So words are sorted by windows of the places
// first, which stay in a cache while they are written.
func scatter(t *parallel.Thread, places, words, pairs []int64) {
	n := len(words)
	shift := max(windowBits, bits.Len(uint((n-1)/mostWindows)))
	windows, parts := (n-1)>>shift+1, partsOf(t, n)
	if windows > 1 {
		next := make([]int, parts*windows) // how many words a part has for each window, and then where the next one goes
		eachPart(t, parts, n, func(part, lo, hi int) {
			own := next[part*windows:][:windows]
			for _, word := range words[lo:hi] {
				own[word&lowerHalf>>shift]++
			}
		})
		at := 0
		for window := range windows {
			for part := range parts {
				own := &next[part*windows+window]
				*own, at = at, at+*own
			}
		}
		eachPart(t, parts, n, func(part, lo, hi int) {
			own := next[part*windows:][:windows]
			for _, word := range words[lo:hi] {
				to := &own[word&lowerHalf>>shift]
				pairs[*to] = word
				*to++
			}
		})
		words = pairs
	}
	blocks(t, n, func(lo, hi int) {
		for _, word := range words[lo:hi] {
			places[word&lowerHalf] = int64(uint64(word) >> 32)
		}
	})
}

const lowerHalf = 1<<32 - 1

// windowBits is the logarithm of the places of a window that stays in the second cache, mostWindows how many there are at most: writes to
// many lines in turns all wait for those that fetch the next line.
const (
	windowBits  = 16
	mostWindows = 32
)

// partsOf is into how many parts a list is cut, for the threads to share.
func partsOf(t *parallel.Thread, n int) int {
	if n < shared {
		return 1
	}
	return t.NumThreads()
}

// eachPart calls body for parts of n elements of a list, from lo to before hi.
func eachPart(t *parallel.Thread, parts, n int, body func(part, lo, hi int)) {
	t.ForCost(parts, 2*float64(n/parts), func(_ *parallel.Thread, first, end int) {
		for part := first; part < end; part++ {
			body(part, n*part/parts, n*(part+1)/parts)
		}
	})
}
