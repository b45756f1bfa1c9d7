//go:build !noasm

package philox

import "github.com/weft-nd/weft/kernels/cpu/internal/features"

// fillBatches fills dst, one or more whole batches, by assembly.
func fillBatches(dst []uint32, state *State) {
	if features.Best >= features.AVX512 {
		wordsAVX512(&dst[0], len(dst), (*[stateLength]uint32)(state))
	} else {
		wordsAVX2(&dst[0], len(dst), (*[stateLength]uint32)(state))
	}
}
