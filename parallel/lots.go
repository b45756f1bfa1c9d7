package parallel

import (
	"math/bits"
	"sync/atomic"
)

// A region gives every slot a lot: neighbouring items, which its participant runs first, so that what one operator leaves in
// the caches of a processor is what that processor needs for the next one. A participant that has run its own lot takes from
// those of others.
//
// A lot is cut into pieces, which are taken one after another. On the static schedule they get shorter, so that the participants end
// together, and the first one, the share, is for whoever has the slot; otherwise they are the chunks.

// mostCuts is how many pieces a lot has on the static schedule at most: the share is half of it, and every other one
// but the last half of the one before. A piece is worth taking from another processor if it is work of some briefPiece
// nanoseconds: what it writes has to be fetched, and fetched back for the next region.
const (
	mostCuts   = 6
	briefPiece = 1000
)

// briefLot is the nanoseconds of work below which a lot is one piece: a participant that looks for what another has left takes
// the cache line of that lot's counter from it, and both do so at the end.
const briefLot = 8000

// cutsOf returns how many pieces a lot has that takes the given time.
func cutsOf(nanoseconds float64) int {
	if nanoseconds < briefLot {
		return 1
	}
	return bits.Len(uint(max(1, min(nanoseconds/briefPiece, 1<<mostCuts-1))))
}

// maximumChunks bounds the chunks of a region, so that a counter holds them.
const maximumChunks = 1 << 30

// counter counts the pieces of a lot that were taken. Its high half is the number of the use of its region, so that it starts
// anew with every use without being reset, which would fetch its cache line from another processor.
type counter struct{ atomic.Uint64 }

// take returns the number of the next of count pieces, which are numbered from first.
func (c *counter) take(use uint32, first, count int) (piece int, found bool) {
	for {
		before := c.Load()
		piece = first
		if uint32(before>>32) == use {
			piece = int(uint32(before))
		}
		if piece >= count {
			return 0, false
		}
		if c.CompareAndSwap(before, uint64(use)<<32|uint64(piece+1)) {
			return piece, true
		}
	}
}

// pieces returns how many pieces the lot of a slot has, not counting empty ones, since looking at the counter of a lot takes
// its cache line from whoever has it.
func (r *region) pieces(slot int) int {
	if r.chunks > 0 {
		return evenly(r.chunks, r.count, slot+1) - evenly(r.chunks, r.count, slot)
	}
	return min(int(r.cuts), bits.Len(uint(r.border(slot+1)-r.border(slot))))
}

// bounds returns the items of a piece of the lot of a slot.
func (r *region) bounds(slot, piece int) (lo, hi int) {
	if r.chunks > 0 {
		piece += evenly(r.chunks, r.count, slot)
		return evenly(r.items, r.chunks, piece), evenly(r.items, r.chunks, piece+1)
	}
	start, end := r.border(slot), r.border(slot+1)
	lo, hi = end-behind(end-start, piece), end
	if piece+1 < int(r.cuts) {
		hi = end - behind(end-start, piece+1)
	}
	return lo, hi
}

// border returns where the lot of a slot begins on the static schedule.
func (r *region) border(slot int) int {
	border := evenly(r.items, r.count, slot)
	if r.lead > 0 {
		border = leading(r.items, r.count, int(r.lead), int(r.host), slot)
	}
	if slot < r.count && r.items/r.count >= long {
		return align(border)
	}
	return border
}

// leading is evenly where one part, the host's, is longer than the others by lead items, and is the first to get one of the
// items left over.
func leading(n, count, lead, host, i int) int {
	size, larger := (n-lead)/count, (n-lead)%count
	if i > host {
		return i*size + min(i, larger) + lead
	}
	return i*size + min(i, max(0, larger-1))
}

// behind returns how many items of a lot are not in the pieces before the given one.
func behind(items, piece int) int {
	rest := items >> piece
	if piece > 0 && rest >= long {
		return align(rest)
	}
	return rest
}

// long is the number of items from which on a lot or piece begins on a cache line, if the first item does, and so on a vector.
const long = 512

func align(n int) int { return n &^ 63 }
