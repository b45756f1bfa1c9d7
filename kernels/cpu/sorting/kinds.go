package sorting

import "github.com/weft-nd/weft/parallel"

// tally is how many elements of a part of a list have the same bits, and where in the part the first of them is.
type tally struct{ count, first uint32 }

// talliedPart is how many elements a part of a list has at most, so that a tally holds their number.
const talliedPart = 1 << 31

// kinds are all the values that elements of one or two bytes may have, as a list has them that is cut into parts.
type kinds[B Bits] struct {
	parts    int
	tallies  []tally // of every kind in the first part, then in the next, and so on
	places   []int32 // of each kind among the different elements; -1 of NaN
	nans     []int   // how many elements of each part are NaN
	firstNaN int     // the place of the first NaN among the different elements; -1 if there is none
}

// kindOf is the number of the kind of an element.
func kindOf[B Bits](x B) int { return int(x) & (kindsOf[B]() - 1) }

func kindsOf[B Bits]() int { return 1 << bitsOf[B]() }

// differentByKinds counts each of the elements of one or two bytes that there are. What d has no memory for is left out.
func (o *Order[B]) differentByKinds(t *parallel.Thread, d Different[B], src []B) (different int) {
	k := tallied(t, src)
	different = k.order(o, &d, len(src))
	if k.firstNaN >= 0 || d.Places != nil {
		k.number(t, &d, src)
	}
	return different
}

// tallied counts the elements of a list by kinds.
func tallied[B Bits](t *parallel.Thread, src []B) *kinds[B] {
	n := len(src)
	parts := max(partsOf(t, n), (n+talliedPart-1)/talliedPart)
	k := &kinds[B]{parts: parts, tallies: make([]tally, parts*kindsOf[B]()), places: make([]int32, kindsOf[B]()), nans: make([]int, parts), firstNaN: -1}
	eachPart(t, parts, n, func(part, lo, hi int) {
		own := k.tallies[part*kindsOf[B]():][:kindsOf[B]()]
		for i, x := range src[lo:hi] {
			of := &own[kindOf(x)]
			if of.count == 0 {
				of.first = uint32(i)
			}
			of.count++
		}
	})
	return k
}

// total returns how many of n elements are of the kind of x, and where the first of them is.
func (k *kinds[B]) total(x B, n int) (count, first int64) {
	first = int64(n)
	for part := k.parts - 1; part >= 0; part-- {
		of := &k.tallies[part*kindsOf[B]()+kindOf(x)]
		if count += int64(of.count); of.count > 0 {
			first = int64(n*part/k.parts) + int64(of.first)
		}
	}
	return count, first
}

// order writes the different ones of n elements, but for NaN, to d, and returns how many there are.
func (k *kinds[B]) order(o *Order[B], d *Different[B], n int) (different int) {
	earliest := int64(0)     // where the last of the different ones is first
	last, before := -1, B(0) // the place of the last one that is no NaN, and its rank
	for number := range kindsOf[B]() {
		x := o.element(number)
		rank := o.Rank(x)
		count, first := k.total(x, n)
		switch {
		case count == 0:
			continue
		case o.IsNaN(rank): // Each differs from all others.
			if k.places[kindOf(x)] = -1; k.firstNaN < 0 {
				k.firstNaN = different
			}
			for part := range k.nans {
				k.nans[part] += int(k.tallies[part*kindsOf[B]()+kindOf(x)].count)
			}
			different += int(count)
			continue
		case last >= 0 && rank == before: // 0 and -0
			k.places[kindOf(x)] = int32(last)
			if count += d.Counts[last]; first > earliest {
				x, first = d.Elements[last], earliest
			}
		default:
			k.places[kindOf(x)] = int32(different)
			last, before = different, rank
			different++
		}
		d.set(last, x, first, count)
		earliest = first
	}
	return different
}

// number writes the NaN of a list to d, in their order there, and the places of all elements if they are asked for.
func (k *kinds[B]) number(t *parallel.Thread, d *Different[B], src []B) {
	eachPart(t, k.parts, len(src), func(part, lo, hi int) {
		next := k.firstNaN
		for _, count := range k.nans[:part] {
			next += count
		}
		for i := lo; i < hi; i++ {
			place := int64(k.places[kindOf(src[i])])
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
}

// set writes one of the different elements.
func (d *Different[B]) set(place int, x B, first, count int64) {
	d.Elements[place], d.Counts[place] = x, count
	if d.Firsts != nil {
		d.Firsts[place] = first
	}
}
