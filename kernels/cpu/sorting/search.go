package sorting

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

// searchSome halves the list for several values at the same time, which hides how long memory takes.
func (o *Order[B]) searchSome(dst *[8]int64, list []B, values *[8]B, right bool) {
	var ranks [8]B
	var base [8]int
	for i, x := range values {
		ranks[i] = o.Rank(x)
	}
	for n := len(list); n > 0; {
		half := n - n/2
		for i := range base {
			rank := o.Rank(list[base[i]+half-1])
			step := 0
			if rank < ranks[i] || right && rank == ranks[i] {
				step = half
			}
			base[i] += step
		}
		n -= half
	}
	for i := range dst {
		dst[i] = int64(base[i])
	}
}
