package distribution

// Permutation fills order with the numbers below its length by the shuffle of Fisher and Yates. The element with which
// element i changes places, from the last one down, comes from the 64-bit value of element i by Lemire's unbiased
// method ("Fast random integer generation in an interval", ACM TOMACS 29(1), 2019).
func Permutation(order []int64, s Source) {
	for i := range order {
		order[i] = int64(i)
	}
	var values [BlockSize]uint64
	for first := (len(order) - 1) / BlockSize * BlockSize; first >= 0; first -= BlockSize {
		s.wide(values[:min(BlockSize, len(order)-first)], uint64(first), 0)
		for i := min(first+BlockSize, len(order)) - 1; i >= max(first, 1); i-- {
			j := s.within(values[i-first], uint64(i), uint64(i)+1)
			order[i], order[j] = order[j], order[i]
		}
	}
}
