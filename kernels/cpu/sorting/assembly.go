package sorting

import (
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// shortest is up to how many keys are sorted by networks, which have 16 vectors, or otherwise best not by their bytes.
func shortest[K Key]() int {
	bytes := 16 * 64
	if features.Best == features.AVX2 {
		bytes = 16 * 32
	}
	return bytes / int(unsafe.Sizeof(K(0)))
}

// sortShort sorts at most shortest keys.
func sortShort[K Key](keys []K) {
	switch {
	case len(keys) == 0:
	case features.Best >= features.AVX2:
		short(keys, keys)
	default:
		slices.Sort(keys)
	}
}

// isSorted reports whether keys are in order.
func isSorted[K Key](keys []K) bool {
	if features.Best == features.Portable {
		return slices.IsSorted(keys)
	}
	done, found := descends(keys)
	return !found && slices.IsSorted(keys[done:])
}

// partition moves the keys that are not above pivot to the front, and returns how many they are. There are more than shortest keys.
func partition[K Key](keys []K, pivot K) (low int) {
	if features.Best >= features.AVX2 {
		return fastPartition(keys, pivot)
	}
	return portablePartition(keys, pivot)
}
