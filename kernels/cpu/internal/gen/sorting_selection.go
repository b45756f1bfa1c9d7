package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeSelection writes a function that finds elements of so many bits by their keys. If these are fewer than those of
// keys, elements become the upper bits of keys, and so have mask, shift, flip and bound to be; the lower bits are zero,
// and sums that go round do so as those of elements.
func (a *assembler) writeSelection(bits int) {
	doc := []string{
		"writes the numbers of those of count elements of src to numbers whose keys are not above bound, and returns how many they are.",
		"Behind them anything is written, within count numbers.",
	}
	if !a.wide {
		doc[1] += fmt.Sprintf(" Count is a multiple of %d.", 1<<a.laneBits())
	}
	a.begin(fmt.Sprint("select", bits), fmt.Sprintf("numbers *int32, src *int%d, count int, mask, shift, flip, bound %s) (found int", bits, a.key()), doc...)
	if !a.wide {
		a.selectByPlaces(bits)
		return
	}
	lanes := 1 << a.laneBits()
	widen, missing := map[int]instruction{8: a.VPMOVZXBD, 16: a.VPMOVZXWD}[bits], uint8(a.keyBits()-bits)
	numbers, src := a.integer("numbers"), a.integer("src")
	count := a.integer("count")
	mask, shift, flip, bound := a.everywhere("mask"), a.everywhere("shift"), a.everywhere("flip"), a.everywhere("bound")
	first, at, next, store := a.GP64(), a.numbers(), a.numbers(), a.GP64()
	a.MOVQ(numbers, first)
	a.VMOVDQU32(a.table(a.name("lanes")+a.suffix(), a.lanePairs(func(lane int) uint64 { return uint64(lane) })...), at)
	a.VMOVDQU32(a.table(a.name("step")+a.suffix(), a.lanePairs(func(int) uint64 { return uint64(lanes) })...), next)
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
	if widen != nil {
		widen(operand.Mem{Base: src}, x)
		a.VPSLLD(operand.U8(missing), x, x)
	} else {
		a.VMOVDQU32(operand.Mem{Base: src}, x)
	}
	found := chosen(x)
	a.VMOVDQU32(packed(found), operand.Mem{Base: numbers})
	length(found)
	a.LEAQ(operand.Mem{Base: numbers, Index: store, Scale: 4}, numbers)
	a.VPADDD(next, at, at)
	a.ADDQ(operand.I32(lanes*bits/8), src)
	a.SUBQ(operand.I32(lanes), count)
	a.JMP(operand.LabelRef("vectors"))
	a.Label("last")
	here, y := a.remaining(count, 0), a.ZMM()
	a.VPXORD(y, y, y)
	if widen != nil {
		widen(operand.Mem{Base: src}, here, y)
		a.VPSLLD(operand.U8(missing), y, y)
	} else {
		a.maskedLoad(operand.Mem{Base: src}, here, y)
	}
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
		return a.half()
	}
	return a.vector()
}

// lanePairs returns the values of all lanes as numbers of 32 bits, two in a word.
func (a *assembler) lanePairs(value func(lane int) uint64) []uint64 {
	pairs := make([]uint64, 1<<a.laneBits()/2)
	for i := range pairs {
		pairs[i] = value(2*i) | value(2*i+1)<<32
	}
	return pairs
}
