package numpy

import "math/rand/v2"

// MT19937 is numpy.random.MT19937: the Mersenne Twister of Matsumoto and Nishimura (ACM Transactions on Modeling and
// Computer Simulation 8(1), 1998). The zero MT19937 is for what Unmarshal methods fill: it gives zeros alone.
type MT19937 struct {
	key      [mtSize]uint32
	position int // in key of the next word; mtSize if they are used up
}

var _ rand.Source = (*MT19937)(nil)

const (
	mtSize     = 624
	mtMiddle   = 397
	mtMatrix   = 0x9908b0df
	mtHighBit  = 0x80000000
	mtLowBits  = 0x7fffffff
	mtBits     = 19937
	mtDefault  = 19650218   // seed of the state that an array is mixed into
	mtLinear   = 1812433253 // Knuth's multiplier
	mtForward  = 1664525
	mtBackward = 1566083941
)

// NewMT19937 returns MT19937(seed).
func NewMT19937(seed uint64) *MT19937 { return NewMT19937From(NewSeedSequence(seed)) }

// NewMT19937From returns MT19937(s).
func NewMT19937From(s *SeedSequence) *MT19937 {
	m := &MT19937{position: mtSize - 1}
	copy(m.key[:], s.Words32(mtSize))
	m.key[0] = mtHighBit
	return m
}

// NewLegacyMT19937 returns the generator of RandomState(seed), which is also that of numpy.random.seed(seed).
func NewLegacyMT19937(seed uint32) *MT19937 {
	m := &MT19937{position: mtSize}
	for i := range m.key {
		m.key[i] = seed
		seed = mtLinear*(seed^seed>>30) + uint32(i) + 1
	}
	return m
}

// NewLegacyMT19937Array returns the generator of RandomState([seed, ...]). It panics without a seed, where NumPy raises
// ValueError.
func NewLegacyMT19937Array(seed []uint32) *MT19937 {
	if len(seed) == 0 {
		panic("numpy: a seed that is an array has at least one element")
	}
	m := NewLegacyMT19937(mtDefault)
	i := 0
	next := func(multiplier uint32) uint32 {
		before := m.key[i]
		i++
		if i == mtSize {
			m.key[0], i = before, 1
		}
		return m.key[i] ^ (before^before>>30)*multiplier
	}
	for k := range max(mtSize, len(seed)) {
		j := k % len(seed)
		word := next(mtForward)
		m.key[i] = word + seed[j] + uint32(j)
	}
	for range mtSize - 1 {
		word := next(mtBackward)
		m.key[i] = word - uint32(i)
	}
	m.key[0] = mtHighBit
	return m
}

// twist returns the word that comes mtSize words behind high: low is the next word, middle the one mtMiddle behind.
func twist(high, low, middle uint32) uint32 {
	y := high&mtHighBit | low&mtLowBits
	return middle ^ y>>1 ^ -(y&1)&mtMatrix
}

// refill makes the next mtSize words.
func (m *MT19937) refill() {
	const split = mtSize - mtMiddle
	for i := range split {
		m.key[i] = twist(m.key[i], m.key[i+1], m.key[i+mtMiddle])
	}
	for i := split; i < mtSize-1; i++ {
		m.key[i] = twist(m.key[i], m.key[i+1], m.key[i-split])
	}
	m.key[mtSize-1] = twist(m.key[mtSize-1], m.key[0], m.key[mtMiddle-1])
	m.position = 0
}

// Uint32 returns the next word.
func (m *MT19937) Uint32() uint32 {
	if m.position == mtSize {
		m.refill()
	}
	y := m.key[m.position]
	m.position++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// Uint64 returns the next two words, the first one as the high half.
func (m *MT19937) Uint64() uint64 {
	high := m.Uint32()
	return uint64(high)<<32 | uint64(m.Uint32())
}

// Float64 returns 27 bits of the next word and 26 bits of the one behind it as a multiple of 2⁻⁵³ in [0, 1).
func (m *MT19937) Float64() float64 {
	high := m.Uint32() >> 5
	return float64(uint64(high)<<26|uint64(m.Uint32()>>6)) / (1 << 53)
}
