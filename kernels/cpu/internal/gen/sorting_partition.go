package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// partition writes a partition of keys into those that stay and those that go to other memory.
type partition struct {
	*assembler
	pivot       vector
	flip        reg.OpmaskVirtual
	stay, other reg.GPVirtual // where the next ones are written
	picks       reg.GPVirtual // of 64-bit keys, the table of which picks are
	shifts      vector        // to the byte of each lane
}

func (a *assembler) writePartition() {
	a.begin(a.name("partition"), fmt.Sprintf("data, other *%s, count int, pivot %s, flip uint32) (moved int", a.key(), a.key()),
		"moves the keys of data above pivot, or if flip is 0xffff the others, to other, which has room for count keys. It",
		"moves the rest to the front of data, and returns how many went to other. Behind both parts anything is written, within",
		"count keys of either.")
	const unrolled = 4
	lanes := 1 << a.laneBits()
	data, other := a.integer("data"), a.integer("other")
	count, flip := a.integer("count"), a.GP32()
	p := partition{assembler: a, flip: a.K(), stay: a.GP64(), other: a.GP64()}
	a.Load(a.Param("flip"), flip)
	a.KMOVW(flip, p.flip)
	p.pivot = a.everywhere("pivot")
	if a.double {
		p.picks, p.shifts = a.GP64(), a.ZMM()
		a.LEAQ(a.table("picks", picks()...), p.picks)
		a.VMOVDQU64(a.table("bytes_of_lanes", 0, 8, 16, 24, 32, 40, 48, 56), p.shifts)
	}
	a.MOVQ(data, p.stay)
	a.MOVQ(other, p.other)
	for _, vectors := range []int{unrolled, 1} {
		loop, end := fmt.Sprintf("vectors%d", vectors), fmt.Sprintf("end%d", vectors)
		a.Label(loop)
		a.CMPQ(count, operand.I32(vectors*lanes))
		a.JLT(operand.LabelRef(end))
		loaded := make([]vector, vectors)
		for i := range loaded {
			loaded[i] = a.ZMM()
			a.VMOVDQU32(a.vectorAt(data, i), loaded[i])
		}
		for _, x := range loaded {
			p.divide(x)
		}
		a.ADDQ(operand.I32(64*vectors), data)
		a.SUBQ(operand.I32(vectors*lanes), count)
		a.JMP(operand.LabelRef(loop))
		a.Label(end)
	}
	a.TESTQ(count, count)
	a.JZ(operand.LabelRef("done"))
	p.divideLast(data, count)
	a.Label("done")
	moved := a.GP64()
	a.MOVQ(p.other, moved)
	a.SUBQ(other, moved)
	a.SHRQ(operand.U8(6-a.laneBits()), moved)
	a.Store(moved, a.ReturnIndex(0))
	a.VZEROUPPER()
	a.RET()
}

// integer returns a register with a parameter of 64 bits.
func (a *assembler) integer(parameter string) reg.GPVirtual {
	register := a.GP64()
	a.Load(a.Param(parameter), register)
	return register
}

// everywhere returns a vector whose elements all equal a parameter.
func (a *assembler) everywhere(parameter string) vector {
	address, err := a.Param(parameter).Resolve()
	if err != nil {
		panic(err)
	}
	result := a.ZMM()
	a.of(a.VBROADCASTSS, a.VBROADCASTSD)(address.Addr, result)
	return result
}

// leaving returns the lanes of x that go to other memory.
func (p partition) leaving(x vector) reg.OpmaskVirtual {
	mask := p.K()
	p.of(p.VPCMPGTD, p.VPCMPGTQ)(p.pivot, x, mask)
	p.KXORW(p.flip, mask, mask)
	return mask
}

func (p partition) compressed(x vector, mask reg.Register) vector {
	result := p.ZMM()
	p.of(ofThree(p.VPCOMPRESSD_Z), ofThree(p.VPCOMPRESSQ_Z))(x, mask, result)
	return result
}

// picks are, for each mask of 8 lanes, the numbers of those that are in it, a byte each.
func picks() []uint64 {
	table := make([]uint64, 256)
	for mask := range table {
		count := 0
		for lane := range 8 {
			if mask>>lane&1 == 1 {
				table[mask] |= uint64(lane) << (8 * count)
				count++
			}
		}
	}
	return table
}

// picked is compressed for 64-bit keys, by a permutation, which takes half as long.
func (p partition) picked(x vector, mask reg.GPVirtual) vector {
	from, result := p.ZMM(), p.ZMM()
	p.VPBROADCASTQ(operand.Mem{Base: p.picks, Index: mask.As64(), Scale: 8}, from)
	p.VPSRLVQ(p.shifts, from, from)
	p.VPERMQ(x, from, result)
	return result
}

// divide writes whole vectors, of which what matters is in front. Neither part is longer than what was read before, so that
// nothing unread is overwritten.
func (p partition) divide(x vector) {
	leaving, mask, count := p.leaving(x), p.GP32(), p.GP32()
	p.of(ofTwo(p.KMOVW), ofTwo(p.KMOVB))(leaving, mask)
	p.POPCNTL(mask, count)
	if p.double {
		staying := p.GP32()
		p.MOVL(mask, staying)
		p.XORL(operand.U32(0xFF), staying)
		p.VMOVDQU32(p.picked(x, staying), operand.Mem{Base: p.stay})
		p.VMOVDQU32(p.picked(x, mask), operand.Mem{Base: p.other})
	} else {
		staying := p.K()
		p.KNOTW(leaving, staying)
		p.VMOVDQU32(p.compressed(x, staying), operand.Mem{Base: p.stay})
		p.VMOVDQU32(p.compressed(x, leaving), operand.Mem{Base: p.other})
	}
	bytes := p.GP64()
	p.MOVL(count, bytes.As32())
	p.SHLQ(operand.U8(6-p.laneBits()), bytes)
	p.ADDQ(bytes, p.other)
	p.SUBQ(bytes, p.stay)
	p.ADDQ(operand.I32(64), p.stay)
}

// ofTwo adapts an instruction that has only one form.
func ofTwo(plain func(x, y operand.Op)) instruction {
	return func(operands ...operand.Op) { plain(operands[0], operands[1]) }
}

// divideLast divides the last count keys, less than a vector.
func (p partition) divideLast(data reg.Register, count reg.GPVirtual) {
	here, x := p.remaining(count, 0), p.ZMM()
	p.VPXORD(x, x, x)
	p.maskedLoad(operand.Mem{Base: data}, here, x)
	leaving := p.leaving(x)
	staying := p.K()
	p.KANDNW(here, leaving, staying)
	p.KANDW(here, leaving, leaving)
	for i, part := range []reg.OpmaskVirtual{staying, leaving} {
		to := []reg.GPVirtual{p.stay, p.other}[i]
		number := p.GP32()
		p.KMOVW(part, number)
		p.POPCNTL(number, number)
		length := p.GP64()
		p.MOVL(number, length.As32())
		p.maskedStore(p.compressed(x, part), p.remaining(length, 0), operand.Mem{Base: to})
		p.SHLQ(operand.U8(6-p.laneBits()), length)
		p.ADDQ(length, to)
	}
}

// writeMap writes a function that maps elements to keys or back.
func (a *assembler) writeMap(stem string, inner func(x, mask, shift, flip vector) vector) {
	a.begin(a.name(stem), fmt.Sprintf("dst, src *%s, count int, mask, shift, flip %s", a.key(), a.key()),
		fmt.Sprintf("writes what order.%s gives for count elements of src to dst, which may be the same.", stem))
	lanes := 1 << a.laneBits()
	dst, src := a.integer("dst"), a.integer("src")
	count := a.integer("count")
	mask, shift, flip := a.everywhere("mask"), a.everywhere("shift"), a.everywhere("flip")
	a.Label("vectors")
	a.CMPQ(count, operand.I32(lanes))
	a.JLT(operand.LabelRef("last"))
	x := a.ZMM()
	a.VMOVDQU32(operand.Mem{Base: src}, x)
	a.VMOVDQU32(inner(x, mask, shift, flip), operand.Mem{Base: dst})
	a.ADDQ(operand.I32(64), src)
	a.ADDQ(operand.I32(64), dst)
	a.SUBQ(operand.I32(lanes), count)
	a.JMP(operand.LabelRef("vectors"))
	a.Label("last")
	here, y := a.remaining(count, 0), a.ZMM()
	a.VPXORD(y, y, y)
	a.maskedLoad(operand.Mem{Base: src}, here, y)
	a.maskedStore(inner(y, mask, shift, flip), here, operand.Mem{Base: dst})
	a.VZEROUPPER()
	a.RET()
}

// writeSelection writes a function that finds elements by their keys.
func (a *assembler) writeSelection() {
	a.begin(a.name("select"), fmt.Sprintf("numbers *int32, src *%s, count int, mask, shift, flip, bound %s) (found int", a.key(), a.key()),
		"writes the numbers of those of count elements of src to numbers whose keys are not above bound, and returns how many they are.",
		"Behind them anything is written, within count numbers.")
	lanes := 1 << a.laneBits()
	numbers, src := a.integer("numbers"), a.integer("src")
	count := a.integer("count")
	mask, shift, flip, bound := a.everywhere("mask"), a.everywhere("shift"), a.everywhere("flip"), a.everywhere("bound")
	first, at, next, store := a.GP64(), a.numbers(), a.numbers(), a.GP64()
	a.MOVQ(numbers, first)
	a.VMOVDQU32(a.table(a.name("lanes"), a.lanePairs(func(lane int) uint64 { return uint64(lane) })...), at)
	a.VMOVDQU32(a.table(a.name("step"), a.lanePairs(func(int) uint64 { return uint64(lanes) })...), next)
	chosen := func(x vector) (found reg.OpmaskVirtual) {
		found = a.K()
		a.of(a.VPCMPD, a.VPCMPQ)(operand.U8(2), bound, a.encode(x, mask, shift, flip), found)
		return found
	}
	length := func(found reg.OpmaskVirtual) {
		a.KMOVW(found, store.As32())
		a.POPCNTL(store.As32(), store.As32())
	}
	packed := func(found reg.OpmaskVirtual) vector {
		result := a.numbers()
		a.VPCOMPRESSD_Z(at, found, result)
		return result
	}
	a.Label("vectors")
	a.CMPQ(count, operand.I32(lanes))
	a.JLT(operand.LabelRef("last"))
	x := a.ZMM()
	a.VMOVDQU32(operand.Mem{Base: src}, x)
	found := chosen(x)
	a.VMOVDQU32(packed(found), operand.Mem{Base: numbers})
	length(found)
	a.LEAQ(operand.Mem{Base: numbers, Index: store, Scale: 4}, numbers)
	a.VPADDD(next, at, at)
	a.ADDQ(operand.I32(64), src)
	a.SUBQ(operand.I32(lanes), count)
	a.JMP(operand.LabelRef("vectors"))
	a.Label("last")
	here, y := a.remaining(count, 0), a.ZMM()
	a.VPXORD(y, y, y)
	a.maskedLoad(operand.Mem{Base: src}, here, y)
	found = chosen(y)
	a.KANDW(here, found, found)
	length(found)
	a.VMOVDQU32(packed(found), a.remaining(store, 0), operand.Mem{Base: numbers})
	a.LEAQ(operand.Mem{Base: numbers, Index: store, Scale: 4}, numbers)
	a.SUBQ(first, numbers)
	a.SHRQ(operand.U8(2), numbers)
	a.Store(numbers, a.ReturnIndex(0))
	a.VZEROUPPER()
	a.RET()
}

// numbers returns a register for a number of 32 bits for each lane.
func (a *assembler) numbers() vector {
	if a.double {
		return a.YMM()
	}
	return a.ZMM()
}

// lanePairs returns the values of all lanes as numbers of 32 bits, two in a word.
func (a *assembler) lanePairs(value func(lane int) uint64) []uint64 {
	pairs := make([]uint64, 1<<a.laneBits()/2)
	for i := range pairs {
		pairs[i] = value(2*i) | value(2*i+1)<<32
	}
	return pairs
}

func (a *assembler) encode(x, mask, shift, flip vector) vector {
	return a.xor(a.subtractIntegers(a.turned(x, mask), shift), flip)
}

func (a *assembler) decode(x, mask, shift, flip vector) vector {
	return a.turned(a.addIntegers(a.xor(x, flip), shift), mask)
}

// turned returns x with the bits of mask changed where x is negative.
func (a *assembler) turned(x, mask vector) vector {
	sign := a.ZMM()
	a.of(a.VPSRAD, a.VPSRAQ)(operand.U8(a.keyBits()-1), x, sign)
	return a.xor(x, a.and(sign, mask))
}

func (a *assembler) keyBits() int {
	if a.double {
		return 64
	}
	return 32
}
