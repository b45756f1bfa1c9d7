package sorting

import "math/bits"

// shortList is the most elements of a list whose keys are computed once for many values.
const shortList = 512

// Search writes, for each of values, how many elements of list are before it to dst: those of lower rank, or if right, those of
// rank no higher. List is ascending in ranks; in one that is not, some number from 0 to its length is found.
func (o *Order[B]) Search(dst []int64, list, values []B, right bool) {
	const together = 4
	var memory [shortList]uint64
	keys := memory[:0]
	if len(list) <= shortList && len(list) <= 2*len(values) {
		keys = memory[:len(list)]
		for i, x := range list {
			keys[i] = unsigned(o.Key(x))
		}
	}
	for at := 0; at < len(values); at += together {
		var ends [together]uint64
		some := values[at:min(at+together, len(values))]
		for i, x := range some {
			ends[i] = o.end(x, right)
		}
		var found [together]int64
		if len(keys) > 0 {
			found = halveKeys(keys, &ends)
		} else {
			found = o.halve(list, &ends)
		}
		for i, end := range ends[:len(some)] {
			if right && end == 0 {
				found[i] = int64(len(list))
			}
		}
		copy(dst[at:], found[:len(some)])
	}
}

// halve halves the list for several values at the same time, which hides how long memory takes, and returns how many unsigned keys of its
// elements are below each of ends. No branch depends on an element: half of them would be foreseen wrongly.
func (o *Order[B]) halve(list []B, ends *[4]uint64) [4]int64 {
	mask, shift, flip := o.mask, o.shift, o.flip
	key := func(i uint) uint64 {
		x := list[i]
		return unsigned((x ^ x>>(bitsOf[B]()-1)&mask - shift) ^ flip)
	}
	var i0, i1, i2, i3 uint
	for n := uint(len(list)); n > 0; {
		half := n - n/2
		n -= half
		i0 += half & -below(key(i0+half-1), ends[0])
		i1 += half & -below(key(i1+half-1), ends[1])
		i2 += half & -below(key(i2+half-1), ends[2])
		i3 += half & -below(key(i3+half-1), ends[3])
	}
	return [4]int64{int64(i0), int64(i1), int64(i2), int64(i3)}
}

// halveKeys is halve for a list of unsigned keys.
func halveKeys(keys []uint64, ends *[4]uint64) [4]int64 {
	var i0, i1, i2, i3 uint
	for n := uint(len(keys)); n > 0; {
		half := n - n/2
		n -= half
		i0 += half & -below(keys[i0+half-1], ends[0])
		i1 += half & -below(keys[i1+half-1], ends[1])
		i2 += half & -below(keys[i2+half-1], ends[2])
		i3 += half & -below(keys[i3+half-1], ends[3])
	}
	return [4]int64{int64(i0), int64(i1), int64(i2), int64(i3)}
}

// below is 1 if x is less than y, else 0.
func below(x, y uint64) uint {
	_, borrow := bits.Sub64(x, y, 0)
	return uint(borrow)
}

// unsigned returns a key as an unsigned integer of the same order.
func unsigned[B Bits](key B) uint64 { return uint64(int64(key)) ^ 1<<63 }

// end returns what the unsigned keys of the elements before x are below: those of lower rank, or if right, those of
// rank no higher, where 0 is the end of all.
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
