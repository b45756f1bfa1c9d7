package sorting

import (
	"slices"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// sortShort sorts at most shortest keys.
func sortShort[K Key](keys []K) {
	switch {
	case len(keys) == 0:
	case features.Best >= features.AVX512:
		short(keys, keys)
	default:
		slices.Sort(keys)
	}
}

// partition moves the keys that are not above pivot to the front, and returns how many they are. There are more than shortest keys.
func partition[K Key](keys []K, pivot K) (low int) {
	if features.Best >= features.AVX512 {
		return fastPartition(keys, pivot)
	}
	return portablePartition(keys, pivot)
}
