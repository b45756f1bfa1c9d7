package numpy

import (
	"math/bits"
	"math/rand/v2"
)

// Philox is numpy.random.Philox: Philox4x64-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2,
// 3" (SC 2011), which encrypts a counter of 256 bits under a key of 128 bits. The zero Philox
// is for what Unmarshal methods fill.
type Philox struct {
	key      [2]uint64
	counter  [4]uint64 // of the block in buffer, the low word first
	buffer   [4]uint64
	position int    // in buffer of the next number; len(buffer) if it is used up
	half     uint32 // the second half of a number, if halved
	halved   bool
}

var _ rand.Source = (*Philox)(nil)

// NewPhilox returns Philox(seed).
func NewPhilox(seed uint64) *Philox { return NewPhiloxFrom(NewSeedSequence(seed)) }

// NewPhiloxFrom returns Philox(s).
func NewPhiloxFrom(s *SeedSequence) *Philox {
	return NewPhiloxAt([2]uint64(s.Words64(2)), [4]uint64{})
}

// NewPhiloxAt returns Philox(key=key, counter=counter); of both the low word comes first.
func NewPhiloxAt(key [2]uint64, counter [4]uint64) *Philox {
	return &Philox{key: key, counter: counter, position: 4}
}

// Uint64 returns the next number of 64 bits.
func (p *Philox) Uint64() uint64 {
	if p.position == len(p.buffer) {
		p.add([4]uint64{1})
		p.buffer, p.position = philox4x64(p.key, p.counter), 0
	}
	n := p.buffer[p.position]
	p.position++
	return n
}

// Uint32 returns the low half of the next number, or the high half of the one that the call before took the low half of.
// Calls of Uint64 and Float64 in between do not change which.
func (p *Philox) Uint32() uint32 {
	if p.halved {
		p.halved = false
		return p.half
	}
	n := p.Uint64()
	p.half, p.halved = uint32(n>>32), true
	return uint32(n)
}

// Float64 returns the upper 53 bits of the next number as a multiple of 2⁻⁵³ in [0, 1).
func (p *Philox) Float64() float64 { return float64(p.Uint64()>>11) / (1 << 53) }

// Advance moves on by the given number of blocks of four numbers, as NumPy's advance does: what is left of the block before
// is dropped.
func (p *Philox) Advance(blocks uint64) { p.skip([4]uint64{blocks}) }

// Jumped returns a generator that is jumps·2¹²⁸ blocks further on than p, which stays as it is.
func (p *Philox) Jumped(jumps uint64) *Philox {
	jumped := *p
	jumped.skip([4]uint64{2: jumps})
	return &jumped
}

func (p *Philox) skip(blocks [4]uint64) {
	p.add(blocks)
	*p = Philox{key: p.key, counter: p.counter, position: len(p.buffer)}
}

func (p *Philox) add(blocks [4]uint64) {
	var carry uint64
	for i := range p.counter {
		p.counter[i], carry = bits.Add64(p.counter[i], blocks[i], carry)
	}
}

// philox4x64 returns the block of a counter.
func philox4x64(key [2]uint64, c [4]uint64) [4]uint64 {
	for range 10 {
		high0, low0 := bits.Mul64(0xD2E7470EE14C6C93, c[0])
		high1, low1 := bits.Mul64(0xCA5A826395121157, c[2])
		c = [4]uint64{high1 ^ c[1] ^ key[0], low1, high0 ^ c[3] ^ key[1], low0}
		key[0] += 0x9E3779B97F4A7C15 // golden ratio
		key[1] += 0xBB67AE8584CAA73B // sqrt(3) - 1
	}
	return c
}
