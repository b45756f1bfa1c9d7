package storage

// prefixSums are the sums of the first elements of a list of numbers, each changed and asked for in logarithmic time (Fenwick, A
// new data structure for cumulative frequency tables, 1994). Its length is that of the list, whose numbers are zero at first.
type prefixSums []int64

// add adds change to the number with the given index.
func (s prefixSums) add(index int, change int64) {
	for i := index + 1; i <= len(s); i += i & -i {
		s[i-1] += change
	}
}

// through returns the sum of the numbers up to that with the given index, which is included.
func (s prefixSums) through(index int) (sum int64) {
	for i := index + 1; i > 0; i &= i - 1 {
		sum += s[i-1]
	}
	return sum
}
