package distribution

import "math"

// Categorical fills dst, at most BlockSize elements, with categories of rows, share elements after each other of each.
// Sums has, row by row, the sums of the weights up to each of the categories, in which a category is searched; the last
// of a row is positive.
func Categorical(dst []int64, s Source, first uint64, sums []float64, categories, share int) {
	row := int(first) / share
	rest := (row+1)*share - int(first) // elements of the row that are left
	counting(dst, s, first, func(n *numbers, _ int) int64 {
		if rest == 0 {
			row, rest = row+1, share
		}
		rest--
		return int64(categoryAt(sums[row*categories:][:categories], n.fraction()))
	})
}

// categoryAt returns the first category up to which the sum of the weights is larger than the fraction u of all. Its own
// weight is positive.
func categoryAt(sums []float64, u float64) int {
	target := u * sums[len(sums)-1]
	if target >= sums[len(sums)-1] { // rounded up, among the smallest numbers
		target = 0
	}
	first, limit := 0, int64(math.Float64bits(target))
	for count := len(sums); count > 1; {
		half := count / 2
		// The bits of numbers that are not negative have their order. No processor predicts the branch: all bits of the mask
		// are set where the sum is at most the target.
		mask := (int64(math.Float64bits(sums[first+half-1])) - limit - 1) >> 63
		first += half & int(mask)
		count -= half
	}
	return first
}
