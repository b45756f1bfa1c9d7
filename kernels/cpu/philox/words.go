package philox

import "github.com/weft-nd/weft/kernels/cpu/internal/features"

// Batch is how many words assembly makes at a time.
const Batch = 192

// longest is how many words assembly makes in one go: the runtime cannot stop a goroutine before it is done.
const longest = 300 * Batch

// Words fills dst with the words of the element blocks from block on, for one sequence and draw: dst[i] is
// Block(key, Counter(sequence, block+i/4, draw))[i%4]. The length of dst need not be a multiple of four. The element blocks
// wrap round after 2^48. The result has the same bits on every processor, with and without assembly.
func Words(dst []uint32, key, sequence, block uint64, draw uint16) {
	for features.Best > features.Portable && len(dst) > Batch/12 {
		valid := 4 * (1<<32 - block&0xffff_ffff) // words of one state
		part := dst[:min(uint64(len(dst)), valid, longest)]
		fill(part, NewState(key, sequence, block, draw))
		dst, block = dst[len(part):], block+uint64(len(part)/4)
	}
	for ; len(dst) > 0; dst, block = dst[min(4, len(dst)):], block+1 {
		lanes := Block(key, Counter(sequence, block, draw))
		copy(dst, lanes[:])
	}
}

// fill fills dst by assembly, the end by way of a whole batch.
func fill(dst []uint32, state State) {
	if whole := len(dst) / Batch * Batch; whole > 0 {
		fillBatches(dst[:whole], &state)
		state[stateFirst] += uint32(whole / 4)
		dst = dst[whole:]
	}
	if len(dst) > 0 {
		var last [Batch]uint32
		fillBatches(last[:], &state)
		copy(dst, last[:])
	}
}
