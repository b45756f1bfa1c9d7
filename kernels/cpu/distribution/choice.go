package distribution

// Choose fills chosen with different numbers below the population: the first steps of the shuffle of Fisher and Yates, in
// which element i changes places with itself or a later one, by the 64-bit value of element i. Where few are chosen, only
// places that changed are kept.
func Choose(chosen []int64, s Source, population int64) {
	other := func(i int, value uint64) int64 {
		return int64(i) + int64(s.within(value, uint64(i), uint64(population)-uint64(i)))
	}
	if population/8 <= int64(len(chosen)) {
		order := make([]int64, population)
		for i := range order {
			order[i] = int64(i)
		}
		s.each(len(chosen), func(i int, value uint64) {
			j := other(i, value)
			order[i], order[j] = order[j], order[i]
		})
		copy(chosen, order)
	} else {
		moved := make(map[int64]int64, len(chosen))
		at := func(place int64) int64 {
			if number, found := moved[place]; found {
				return number
			}
			return place
		}
		s.each(len(chosen), func(i int, value uint64) {
			j := other(i, value)
			chosen[i], moved[j] = at(j), at(int64(i))
		})
	}
}
