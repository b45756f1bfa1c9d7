package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// partition writes a partition of keys in their own memory. Of both ends some vectors are in registers, so that there are gaps to write to
// (Bramas, "A novel hybrid quicksort algorithm vectorized using AVX-512 on Intel Skylake", IJACSA 8(10), 2017).
type partition struct {
	*assembler
	pivot     vector
	low, high reg.GPVirtual // the ends of the gaps, where the next keys are written: upwards, and downwards
	table     reg.GPVirtual // of places, or of 32-bit keys of turned lanes
	shifts    vector        // of 64-bit keys: to the byte of each lane
}

const (
	heldVectors     = 8 // of each end
	unrolledVectors = 4 // of one end at a time
)

func (a *assembler) writePartition() {
	a.begin(a.name("partition"), fmt.Sprintf("keys *%s, count int, pivot %s) (low int", a.key(), a.key()),
		fmt.Sprintf("moves the keys that are not above pivot to the front, and returns how many they are. There are at least %d keys.",
			2*heldVectors<<a.laneBits()))
	const group = 64 * unrolledVectors
	keys, count := a.integer("keys"), a.integer("count")
	p := partition{assembler: a, low: a.GP64(), high: a.GP64(), table: a.GP64()}
	p.pivot = a.everywhere("pivot")
	if a.double {
		p.shifts = a.ZMM()
		a.LEAQ(a.table("places", places()...), p.table)
		a.VMOVDQU64(a.table("bytes_of_lanes", 0, 8, 16, 24, 32, 40, 48, 56), p.shifts)
	} else {
		a.LEAQ(a.table("turned_lanes", turnedLanes()...), p.table)
	}
	left, right, gap := a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(keys, p.low)
	a.LEAQ(operand.Mem{Base: keys, Index: count, Scale: 64 >> a.laneBits()}, p.high)
	a.ANDQ(operand.I32(1<<a.laneBits()-1), count)
	a.LEAQ(operand.Mem{Base: keys, Index: count, Scale: 64 >> a.laneBits()}, left)
	a.MOVQ(p.high, right)
	odd, here := a.ZMM(), a.remaining(count, 0)
	a.VPXORD(odd, odd, odd)
	a.maskedLoad(operand.Mem{Base: keys}, here, odd)
	load := func(base reg.Register, vectors, first int) []vector {
		loaded := make([]vector, vectors)
		for i := range loaded {
			loaded[i] = a.ZMM()
			a.VMOVDQU32(a.vectorAt(base, first+i), loaded[i])
		}
		return loaded
	}
	held := append(load(left, heldVectors, 0), load(right, heldVectors, -heldVectors)...)
	a.ADDQ(operand.I32(64*heldVectors), left)
	a.SUBQ(operand.I32(64*heldVectors), right)
	p.divideSome(odd, here)

	a.Label("single")
	a.MOVQ(right, gap)
	a.SUBQ(left, gap)
	a.TESTQ(operand.I32(group-64), gap)
	a.JZ(operand.LabelRef("left"))
	p.divide(load(left, 1, 0)[0])
	a.ADDQ(operand.I32(64), left)
	a.JMP(operand.LabelRef("single"))

	a.Label("left") // what is read of one end makes its gap wide enough, and the other's has to be
	a.CMPQ(left, right)
	a.JGE(operand.LabelRef("held"))
	a.MOVQ(p.high, gap)
	a.SUBQ(right, gap)
	a.CMPQ(gap, operand.I32(group))
	a.JLT(operand.LabelRef("right"))
	fromLeft := load(left, unrolledVectors, 0)
	a.ADDQ(operand.I32(group), left)
	for _, x := range fromLeft {
		p.divide(x)
	}
	a.Label("right")
	a.CMPQ(left, right)
	a.JGE(operand.LabelRef("held"))
	a.MOVQ(left, gap)
	a.SUBQ(p.low, gap)
	a.CMPQ(gap, operand.I32(group))
	a.JLT(operand.LabelRef("left"))
	a.SUBQ(operand.I32(group), right)
	for _, x := range load(right, unrolledVectors, 0) {
		p.divide(x)
	}
	a.JMP(operand.LabelRef("left"))

	a.Label("held")
	for _, x := range held {
		p.divide(x)
	}
	a.SUBQ(keys, p.low)
	a.SHRQ(operand.U8(6-a.laneBits()), p.low)
	a.Store(p.low, a.ReturnIndex(0))
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

// above returns the lanes of x that are above the pivot.
func (p partition) above(x vector) reg.OpmaskVirtual {
	mask := p.K()
	p.of(p.VPCMPGTD, p.VPCMPGTQ)(p.pivot, x, mask)
	return mask
}

// places are, for each mask of 8 lanes, the numbers of the others and then of those that are in it, a byte each.
func places() []uint64 {
	table := make([]uint64, 256)
	for mask := range table {
		count := 0
		for _, bit := range []int{0, 1} {
			for lane := range 8 {
				if mask>>lane&1 == bit {
					table[mask] |= uint64(lane) << (8 * count)
					count++
				}
			}
		}
	}
	return table
}

// turnedLanes are the numbers of 16 lanes, twice: read from the number n on, they turn the lanes by n.
func turnedLanes() []uint64 {
	table := make([]uint64, 16)
	for i := range table {
		table[i] = uint64(2*i%16) | uint64((2*i+1)%16)<<32
	}
	return table
}

// divide writes x to both gaps, the keys above the pivot behind the others. If that is all the room there is, the gaps are one, and what
// is written is the same.
func (p partition) divide(x vector) {
	above, mask, count, divided := p.above(x), p.GP64(), p.GP64(), p.ZMM()
	p.of(ofTwo(p.KMOVW), ofTwo(p.KMOVB))(above, mask.As32())
	p.POPCNTL(mask.As32(), count.As32())
	from := p.ZMM()
	if p.double {
		p.VPBROADCASTQ(operand.Mem{Base: p.table, Index: mask, Scale: 8}, from)
		p.VPSRLVQ(p.shifts, from, from)
		p.VPERMQ(x, from, divided)
	} else {
		p.VMOVDQU32(operand.Mem{Base: p.table, Index: count, Scale: 4}, from)
		p.VPERMD(p.compressed(x, above), from, divided)
		p.KNOTW(above, above)
		p.VPCOMPRESSD(x, above, divided)
	}
	p.VMOVDQU32(divided, operand.Mem{Base: p.low})
	p.VMOVDQU32(divided, operand.Mem{Base: p.high, Disp: -64})
	p.SHLQ(operand.U8(6-p.laneBits()), count)
	p.SUBQ(count, p.high)
	p.SUBQ(count, p.low)
	p.ADDQ(operand.I32(64), p.low)
}

func (p partition) compressed(x vector, mask reg.Register) vector {
	result := p.ZMM()
	p.of(ofThree(p.VPCOMPRESSD_Z), ofThree(p.VPCOMPRESSQ_Z))(x, mask, result)
	return result
}

// ofTwo adapts an instruction that has only one form.
func ofTwo(plain func(x, y operand.Op)) instruction {
	return func(operands ...operand.Op) { plain(operands[0], operands[1]) }
}

// divideSome divides the lanes of x that are in here.
func (p partition) divideSome(x vector, here reg.OpmaskVirtual) {
	above, others := p.above(x), p.K()
	p.KANDNW(here, above, others)
	p.KANDW(here, above, above)
	length := func(part reg.OpmaskVirtual) reg.GPVirtual {
		n := p.GP64()
		p.KMOVW(part, n.As32())
		p.POPCNTL(n.As32(), n.As32())
		return n
	}
	write := func(part reg.OpmaskVirtual, n, to reg.GPVirtual) {
		p.maskedStore(p.compressed(x, part), p.remaining(n, 0), operand.Mem{Base: to})
	}
	low, high := length(others), length(above)
	write(others, low, p.low)
	p.SHLQ(operand.U8(6-p.laneBits()), low)
	p.ADDQ(low, p.low)
	bytes := p.GP64()
	p.MOVQ(high, bytes)
	p.SHLQ(operand.U8(6-p.laneBits()), bytes)
	p.SUBQ(bytes, p.high)
	write(above, high, p.high)
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

// writeSelection writes a function that finds elements of so many bits by their keys. If these are fewer than those of keys, elements become
// the upper bits of keys, and so have mask, shift, flip and bound to be; the lower bits are zero, and sums that go round do so as those of elements.
func (a *assembler) writeSelection(bits int) {
	a.begin(fmt.Sprint("select", bits), fmt.Sprintf("numbers *int32, src *int%d, count int, mask, shift, flip, bound %s) (found int", bits, a.key()),
		"writes the numbers of those of count elements of src to numbers whose keys are not above bound, and returns how many they are.",
		"Behind them anything is written, within count numbers.")
	lanes := 1 << a.laneBits()
	widen, missing := map[int]instruction{8: a.VPMOVZXBD, 16: a.VPMOVZXWD}[bits], uint8(a.keyBits()-bits)
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
