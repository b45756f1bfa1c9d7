package sorting

import "github.com/weft-nd/weft/kernels/cpu/internal/features"

// sortShort sorts a list of at most shortest keys.
func (l list[K]) sortShort() {
	switch {
	case len(l.keys) == 0:
	case features.Best >= features.AVX512:
		short(l.result(), l.keys)
	default:
		portableShort(l.result(), l.keys)
	}
}

// partition moves the keys of data above pivot, or if flipped the others, to the front of other, and the rest to the front of
// data. It returns how many it has moved. What is behind both parts is undefined.
func partition[K Key](data, other []K, pivot K, flipped bool) (moved int) {
	if features.Best >= features.AVX512 {
		return fastPartition(data, other, pivot, flipped)
	}
	return portablePartition(data, other, pivot, flipped)
}
