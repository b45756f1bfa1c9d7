package philox

import "math/bits"

// State is what assembly takes that makes words of consecutive element blocks: word 0 of the counter of the first block,
// what is the same in the first three rounds of all blocks whose counters differ in word 0 alone, and the keys of the rounds
// from the third on.
type State [stateLength]uint32

// The places in State.
const (
	stateFirst      = 0
	stateRound1Key1 = 1
	stateRound2Key0 = 2
	stateRound2Key1 = 3
	stateKeys       = 4
	stateLength     = stateKeys + 2*(rounds-2)
)

// NewState returns the state for element blocks from block on and before the next multiple of 2^32.
func NewState(key, sequence, block uint64, draw uint16) State {
	counter := Counter(sequence, block, draw)
	key0, key1 := uint32(key), uint32(key>>32)
	var s State
	s[stateFirst] = counter[0]
	high, low := bits.Mul32(multiplier1, counter[2])
	s[stateRound1Key1] = counter[3] ^ key1
	s[stateRound2Key0] = low ^ (key0 + weyl0)
	high, low = bits.Mul32(multiplier0, high^counter[1]^key0)
	s[stateRound2Key1] = high ^ (key1 + weyl1)
	for round := uint32(2); round < rounds; round++ {
		s[stateKeys+2*round-4] = key0 + round*weyl0
		s[stateKeys+2*round-3] = key1 + round*weyl1
	}
	s[stateKeys+1] ^= low // word 3 after the second round, which the third joins with this key
	return s
}
