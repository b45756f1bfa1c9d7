package sorting

import "github.com/weft-nd/weft/parallel"

// tally is how many elements of a part of a list have the same bits, and where in the part the first of them is.
type tally struct{ count, first uint32 }

// talliedPart is how many elements a part of a list has at most, so that a tally holds their number.
const talliedPart = 1 << 31

// differentByKinds counts each of the elements of one or two bytes that there are. What d has no memory for is left out.
func (o *Order[B]) differentByKinds(t *parallel.Thread, d Different[B], src []B) (different int) {
	kinds, n := 1<<bitsOf[B](), len(src)
	kind := func(x B) int { return int(x) & (kinds - 1) }
	parts := max(partsOf(t, n), (n+talliedPart-1)/talliedPart)
	tallies := make([]tally, parts*kinds)
	eachPart(t, parts, n, func(part, lo, hi int) {
		own := tallies[part*kinds:][:kinds]
		for i, x := range src[lo:hi] {
			k := &own[kind(x)]
			if k.count == 0 {
				k.first = uint32(i)
			}
			k.count++
		}
	})
	places := make([]int32, kinds)     // among the different ones; -1 of NaN
	numbers := make([]int, parts)      // of NaN in the parts
	earliest := int64(0)               // where the last of the different ones is first
	nans, last, before := -1, -1, B(0) // the places of the first NaN and of the last other element, and the rank of that
	for number := range kinds {
		x := o.element(number)
		rank, count, first := o.Rank(x), int64(0), int64(n)
		for part := parts - 1; part >= 0; part-- {
			k := &tallies[part*kinds+kind(x)]
			if count += int64(k.count); k.count > 0 {
				first = int64(n*part/parts) + int64(k.first)
			}
			if o.IsNaN(rank) {
				numbers[part] += int(k.count)
			}
		}
		switch {
		case count == 0:
			continue
		case o.IsNaN(rank):
			if places[kind(x)] = -1; nans < 0 {
				nans = different
			}
			different += int(count)
			continue
		case last >= 0 && rank == before: // 0 and -0
			places[kind(x)] = int32(last)
			if count += d.Counts[last]; first > earliest {
				x, first = d.Elements[last], earliest
			}
		default:
			places[kind(x)] = int32(different)
			last, before = different, rank
			different++
		}
		d.set(last, x, first, count)
		earliest = first
	}
	if nans < 0 && d.Places == nil {
		return different
	}
	eachPart(t, parts, n, func(part, lo, hi int) {
		next := nans
		for _, count := range numbers[:part] {
			next += count
		}
		for i := lo; i < hi; i++ {
			place := int64(places[kind(src[i])])
			if place < 0 {
				place = int64(next)
				d.set(next, src[i], int64(i), 1)
				next++
			}
			if d.Places != nil {
				d.Places[i] = place
			}
		}
	})
	return different
}

// set writes one of the different elements.
func (d *Different[B]) set(place int, x B, first, count int64) {
	d.Elements[place], d.Counts[place] = x, count
	if d.Firsts != nil {
		d.Firsts[place] = first
	}
}
