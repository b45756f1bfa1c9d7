package philox

import "math/bits"

const (
	multiplier0 = 0xD2511F53
	multiplier1 = 0xCD9E8D57
	weyl0       = 0x9E3779B9 // golden ratio
	weyl1       = 0xBB67AE85 // sqrt(3) - 1
	rounds      = 10
)

// Block returns the four words that Philox4x32-10 makes of counter under key; the low half of key is Random123's first
// word of the key.
func Block(key uint64, counter [4]uint32) [4]uint32 {
	key0, key1 := uint32(key), uint32(key>>32)
	c0, c1, c2, c3 := counter[0], counter[1], counter[2], counter[3]
	for range rounds {
		high0, low0 := bits.Mul32(multiplier0, c0)
		high1, low1 := bits.Mul32(multiplier1, c2)
		c0, c1, c2, c3 = high1^c1^key0, low1, high0^c3^key1, low0
		key0 += weyl0
		key1 += weyl1
	}
	return [4]uint32{c0, c1, c2, c3}
}

// Counter returns the counter of an element block and draw of the operator with the given sequence. Only the low 48 bits
// of block are used.
func Counter(sequence, block uint64, draw uint16) [4]uint32 {
	return [4]uint32{
		uint32(block),
		uint32(draw)<<16 | uint32(block>>32)&0xffff,
		uint32(sequence),
		uint32(sequence >> 32),
	}
}
