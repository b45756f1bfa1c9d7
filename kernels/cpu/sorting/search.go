package sorting

import "math/bits"

// Search writes, for each of values, how many elements of list are before it to dst: those of lower rank, or if right, those of
// rank no higher. List is ascending in ranks; in one that is not, some number from 0 to its length is found.
func (o *Order[B]) Search(dst []int64, list, values []B, right bool) {
	const together = 8
	at := 0
	for ; at+together <= len(values); at += together {
		o.searchSome((*[together]int64)(dst[at:]), list, (*[together]B)(values[at:]), right)
	}
	if rest := len(values) - at; rest > 0 {
		var found [together]int64
		var wanted [together]B
		copy(wanted[:], values[at:])
		o.searchSome(&found, list, &wanted, right)
		copy(dst[at:at+rest], found[:])
	}
}

// searchSome halves the list for several values at the same time, which hides how long memory takes. No branch depends on an element: half of
// them would be foreseen wrongly.
func (o *Order[B]) searchSome(dst *[8]int64, list []B, values *[8]B, right bool) {
	var ends [8]uint64
	for i, x := range values {
		ends[i] = o.end(x, right)
		dst[i] = 0
	}
	mask, shift, flip := o.mask, o.shift, o.flip
	for n := len(list); n > 0; {
		half := n - n/2
		n -= half
		for i, end := range ends {
			at := uint(dst[i])
			x := list[at+uint(half)-1]
			_, before := bits.Sub64(unsigned((x^x>>(bitsOf[B]()-1)&mask-shift)^flip), end, 0)
			dst[i] = int64(at + uint(half)&-uint(before))
		}
	}
	for i, end := range ends {
		if right && end == 0 {
			dst[i] = int64(len(list))
		}
	}
}

// unsigned returns a key as an unsigned integer of the same order.
func unsigned[B Bits](key B) uint64 { return uint64(int64(key)) ^ 1<<63 }

// end returns what the unsigned keys of the elements before x are below: those of lower rank, or if right, those of rank no higher, where 0 is
// the end of all.
func (o *Order[B]) end(x B, right bool) uint64 {
	first := o.Key(x)
	last := first
	if o.mask != 0 {
		switch key := first ^ o.flip; {
		case key >= o.nan:
			first, last = o.nan, o.mask
		case key == -o.shift || key == -o.shift-1:
			first, last = -o.shift-1, -o.shift
		default:
			first, last = key, key
		}
		first, last = first^o.flip, last^o.flip
		first, last = min(first, last), max(first, last)
	}
	if right {
		return unsigned(last) + 1
	}
	return unsigned(first)
}
