package distribution

import "github.com/weft-nd/weft/dtype"

// Dropout sets each element of dst, of which there are at most BlockSize, to zero with the probability drop, below 1,
// and otherwise to that of x times scale. Dst may be x.
func Dropout[T dtype.Float](dst, x []T, s Source, first uint64, drop Chance, scale T) {
	var words [BlockSize]uint32
	s.narrow(words[:len(dst)], first)
	x = x[:len(dst)]
	for i, word := range words[:len(dst)] {
		outcomes := [2]T{x[i] * scale, 0} // chosen by index: no processor predicts the branch
		if word != drop.digits {
			dst[i] = outcomes[(uint64(word)-uint64(drop.digits))>>63]
		} else if dst[i] = outcomes[0]; drop.undecided(s, first+uint64(i)) {
			dst[i] = 0
		}
	}
}
