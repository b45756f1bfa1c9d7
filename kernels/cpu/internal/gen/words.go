package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The places in the state that package philox prepares: word 0 of the counter of the first block, what is the same in the
// first three rounds of all blocks whose counters differ in word 0 alone, and the keys of the rounds from the third on.
const (
	stateFirst      = 0
	stateRound1Key1 = 1
	stateRound2Key0 = 2
	stateRound2Key1 = 3
	stateKeys       = 4
	laterRounds     = 8
	stateLength     = stateKeys + 2*laterRounds
)

const threeWayXor = operand.U8(0x96)

// blocks are the four words of as many counters as a vector has 64-bit lanes, a counter to a lane, in the low half of the
// lane. What is in the high half never matters: VPMULUDQ does not look at it.
type blocks struct{ c0, c1, c2, c3 vector }

// philox writes rounds of Philox4x32.
type philox struct {
	asm                      *assembler
	multiplier0, multiplier1 vector
	state                    reg.Register
}

// writeWords writes the kernel that stores words as they are.
func writeWords(f *file) {
	f.each(true, func(a *assembler) {
		a.begin("words", "dst *uint32, "+philoxParameters,
			"fills dst with count words, a positive multiple of 192, of the consecutive blocks of state.")
		a.philoxLoop(func(front, back vector, address reg.Register, offset int) {
			a.store(front, address, offset)
			a.store(back, address, offset+a.bytes())
		})
	})
}

// philoxParameters are those of a kernel on consecutive blocks, behind the pointer dst.
var philoxParameters = fmt.Sprintf("count int, state *[%d]uint32", stateLength)

// philoxLoop writes a loop over count words of consecutive blocks, a positive multiple of 192. It makes several vectors of
// blocks at once, which hides the latency of the multiplications. Finish is given two vectors of consecutive words, for the
// place offset bytes from address.
func (a *assembler) philoxLoop(finish func(front, back vector, address reg.Register, offset int)) {
	p := philox{a, a.spread(a.bits(0xD2511F53)), a.spread(a.bits(0xCD9E8D57)), a.Load(a.Param("state"), a.GP64())}
	interleaved, lanes := 2, a.bytes()/8
	if a.wide {
		interleaved = 6
	}
	first := a.vector()
	a.VPBROADCASTD(p.at(stateFirst), first)
	first = a.addIntegers(first, a.laneOrder())
	next := a.bits(uint64(interleaved * lanes))
	merge := a.oddWords()
	a.loop(4, 2*a.bytes()*interleaved, func(address reg.Register) {
		vectors := make([]blocks, interleaved)
		for i := range vectors {
			c0 := first
			if i > 0 {
				c0 = a.addIntegers(first, a.bits(uint64(i*lanes)))
			}
			vectors[i] = p.firstRounds(c0)
		}
		if a.wide {
			a.VPADDQ_BCST(next, first, first)
		} else {
			a.VPADDQ(next, first, first)
		}
		for round := range laterRounds {
			key0, key1 := p.key(stateKeys+2*round), p.key(stateKeys+2*round+1)
			for i := range vectors {
				vectors[i] = p.round(vectors[i], key0, key1)
			}
		}
		for i, b := range vectors {
			front, back := p.inOrder(b, merge)
			finish(front, back, address, 2*a.bytes()*i)
		}
	})
}

func (p philox) at(index int) operand.Mem { return operand.Mem{Base: p.state, Disp: 4 * index} }

// key is a key of a round as an operand of xor.
func (p philox) key(index int) operand.Op {
	if p.asm.wide {
		return p.at(index)
	}
	key := p.asm.vector()
	p.asm.VPBROADCASTD(p.at(index), key)
	return key
}

// multiply returns the products of the low halves of lanes.
func (p philox) multiply(x, multiplier vector) vector {
	return p.asm.apply(p.asm.VPMULUDQ, nil, multiplier, x)
}

// xor writes x ^= y ^ key, where y may be missing.
func (p philox) xor(x, y vector, key operand.Op) {
	switch _, memory := key.(operand.Mem); {
	case memory && y != nil:
		p.asm.VPTERNLOGD_BCST(threeWayXor, key, y, x)
	case memory:
		p.asm.VPXORD_BCST(key, x, x)
	default:
		if y != nil {
			p.asm.VPXOR(y, x, x)
		}
		p.asm.VPXOR(key, x, x)
	}
}

// firstRounds writes two rounds, in which all words but the first of the counter are the same for all blocks. What would
// be word 3 after the second is part of the key of the third.
func (p philox) firstRounds(c0 vector) blocks {
	c3 := p.multiply(c0, p.multiplier0)
	c2 := p.asm.shiftRight(c3, 32)
	p.xor(c2, nil, p.key(stateRound1Key1))
	c1 := p.multiply(c2, p.multiplier1)
	c0 = p.asm.shiftRight(c1, 32)
	p.xor(c0, nil, p.key(stateRound2Key0))
	p.xor(c3, nil, p.key(stateRound2Key1))
	return blocks{c0, c1, c3, nil}
}

func (p philox) round(b blocks, key0, key1 operand.Op) blocks {
	c1, c3 := p.multiply(b.c2, p.multiplier1), p.multiply(b.c0, p.multiplier0)
	c0, c2 := p.asm.shiftRight(c1, 32), p.asm.shiftRight(c3, 32)
	p.xor(c0, b.c1, key0)
	p.xor(c2, b.c3, key1)
	return blocks{c0, c1, c2, c3}
}

// oddWords is the mask of the 32-bit elements at odd places; narrow instructions need none.
func (a *assembler) oddWords() reg.Register {
	if !a.wide {
		return nil
	}
	mask, bits := a.K(), a.GP32()
	a.MOVL(operand.U32(0xAAAA), bits)
	a.KMOVW(bits, mask)
	return mask
}

// inOrder returns the words of blocks in order, as two vectors.
func (p philox) inOrder(b blocks, oddWords reg.Register) (front, back vector) {
	pair := func(low, high vector) vector {
		if p.asm.wide {
			p.asm.VMOVSLDUP(high, oddWords, low)
			return low
		}
		doubled := p.asm.apply(p.asm.VMOVSLDUP, nil, high)
		p.asm.VPBLENDD(operand.U8(0xAA), doubled, low, doubled)
		return doubled
	}
	lower, upper := pair(b.c0, b.c1), pair(b.c2, b.c3)
	return p.asm.apply(p.asm.VPUNPCKLQDQ, nil, upper, lower), p.asm.apply(p.asm.VPUNPCKHQDQ, nil, upper, lower)
}

// laneOrder is a vector of the numbers of the blocks in the lanes. In this order, interleaving the lanes of two vectors
// within every 16 bytes brings blocks in order.
func (a *assembler) laneOrder() vector {
	result := a.vector()
	if a.wide {
		a.VMOVDQU64(a.table("laneOrder8", 0, 4, 1, 5, 2, 6, 3, 7), result)
	} else {
		a.VMOVDQU(a.table("laneOrder4", 0, 2, 1, 3), result)
	}
	return result
}
