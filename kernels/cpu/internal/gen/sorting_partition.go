package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// partition writes a partition of keys in their own memory. Of both ends some vectors are in registers, so that there are gaps to write to
// (Bramas, "A novel hybrid quicksort algorithm vectorized using AVX-512 on Intel Skylake", IJACSA 8(10), 2017).
type partition struct {
	asm       *assembler
	pivot     vector
	low, high reg.GPVirtual // the ends of the gaps, where the next keys are written: upwards, and downwards
	table     reg.GPVirtual // of places, or of 32-bit keys of turned lanes by AVX-512
	shifts    vector        // of 64-bit keys by AVX-512: to the byte of each lane
}

// unrolledVectors is how many vectors are read of one end at a time.
const unrolledVectors = 4

// heldVectors is how many vectors of each end are held in registers.
func (a *assembler) heldVectors() int {
	if a.wide {
		return 8
	}
	return unrolledVectors
}

func (a *assembler) writePartition() {
	a.begin(a.name("partition"), fmt.Sprintf("keys *%s, count int, pivot %s) (low int", a.key(), a.key()),
		fmt.Sprintf("moves the keys that are not above pivot to the front, and returns how many they are. There are at least %d keys.",
			2*a.heldVectors()<<a.laneBits()))
	bytes, heldVectors := a.bytes(), a.heldVectors()
	keys, count := a.integer("keys"), a.integer("count")
	p := partition{asm: a, low: a.GP64(), high: a.GP64(), table: a.GP64()}
	p.pivot = a.everywhere("pivot")
	p.loadTables()
	left, right, gap := a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(keys, p.low)
	size := uint8(a.keyBits() / 8)
	a.LEAQ(operand.Mem{Base: keys, Index: count, Scale: size}, p.high)
	a.ANDQ(operand.I32(1<<a.laneBits()-1), count)
	a.LEAQ(operand.Mem{Base: keys, Index: count, Scale: size}, left)
	a.MOVQ(p.high, right)
	odd, here := a.vector(), reg.OpmaskVirtual(nil)
	if a.wide {
		here = a.remaining(count, 0)
		a.VPXORD(odd, odd, odd)
		a.maskedLoad(operand.Mem{Base: keys}, here, odd)
	} else {
		odd = a.loadFrom(operand.Mem{Base: keys})
	}
	held := append(a.loadAll(left, heldVectors, 0), a.loadAll(right, heldVectors, -heldVectors)...)
	a.ADDQ(operand.I32(bytes*heldVectors), left)
	a.SUBQ(operand.I32(bytes*heldVectors), right)
	if a.wide {
		p.divideSome(odd, here)
	} else {
		p.divideFirst(odd, count)
	}
	p.divideBetween(left, right, gap)
	a.Label("held")
	for _, x := range held {
		p.divide(x)
	}
	a.SUBQ(keys, p.low)
	a.SHRQ(operand.U8(a.keyBytesBits()), p.low)
	a.Store(p.low, a.ReturnIndex(0))
	a.VZEROUPPER()
	a.RET()
}

// loadTables loads what divide looks up.
func (p *partition) loadTables() {
	switch {
	case !p.asm.wide:
		p.asm.LEAQ(p.asm.placesTable(), p.table)
	case p.asm.double:
		p.shifts = p.asm.ZMM()
		p.asm.LEAQ(p.asm.table("places", places(8)...), p.table)
		p.asm.VMOVDQU64(p.asm.table("bytes_of_lanes", 0, 8, 16, 24, 32, 40, 48, 56), p.shifts)
	default:
		p.asm.LEAQ(p.asm.table("turned_lanes", turnedLanes()...), p.table)
	}
}

// divideBetween divides the vectors of keys from left up to right: single ones until groups are left, and then groups from the end
// whose gap has less room. It ends at the label held.
func (p partition) divideBetween(left, right, gap reg.GPVirtual) {
	bytes := p.asm.bytes()
	group := bytes * unrolledVectors
	p.asm.Label("single")
	p.asm.MOVQ(right, gap)
	p.asm.SUBQ(left, gap)
	p.asm.TESTQ(operand.I32(group-bytes), gap)
	p.asm.JZ(operand.LabelRef("left"))
	p.divide(p.asm.loadAll(left, 1, 0)[0])
	p.asm.ADDQ(operand.I32(bytes), left)
	p.asm.JMP(operand.LabelRef("single"))

	p.asm.Label("left") // what is read of one end makes its gap wide enough, and the other's has to be
	p.asm.CMPQ(left, right)
	p.asm.JGE(operand.LabelRef("held"))
	p.asm.MOVQ(p.high, gap)
	p.asm.SUBQ(right, gap)
	p.asm.CMPQ(gap, operand.I32(group))
	p.asm.JLT(operand.LabelRef("right"))
	fromLeft := p.asm.loadAll(left, unrolledVectors, 0)
	p.asm.ADDQ(operand.I32(group), left)
	for _, x := range fromLeft {
		p.divide(x)
	}
	p.asm.Label("right")
	p.asm.CMPQ(left, right)
	p.asm.JGE(operand.LabelRef("held"))
	p.asm.MOVQ(left, gap)
	p.asm.SUBQ(p.low, gap)
	p.asm.CMPQ(gap, operand.I32(group))
	p.asm.JLT(operand.LabelRef("left"))
	p.asm.SUBQ(operand.I32(group), right)
	for _, x := range p.asm.loadAll(right, unrolledVectors, 0) {
		p.divide(x)
	}
	p.asm.JMP(operand.LabelRef("left"))
}

// loadAll loads the given number of vectors at base, from vector number first on.
func (a *assembler) loadAll(base reg.Register, vectors, first int) []vector {
	loaded := make([]vector, vectors)
	for i := range loaded {
		loaded[i] = a.loadFrom(a.vectorAt(base, first+i))
	}
	return loaded
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
	return a.spread(address.Addr)
}

// keyBytesBits is the logarithm of the bytes of a key.
func (a *assembler) keyBytesBits() uint8 {
	if a.double {
		return 3
	}
	return 2
}

// above returns the lanes of x that are above the pivot.
func (p partition) above(x vector) reg.OpmaskVirtual {
	mask := p.asm.K()
	p.asm.of(p.asm.VPCMPGTD, p.asm.VPCMPGTQ)(p.pivot, x, mask)
	return mask
}

// places are, for each mask of so many lanes, the numbers of the others and then of those that are in it, a byte each.
func places(lanes int) []uint64 {
	table := make([]uint64, 1<<lanes)
	for mask := range table {
		count := 0
		for _, bit := range []int{0, 1} {
			for lane := range lanes {
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
	if !p.asm.wide {
		p.divideByPlaces(x)
		return
	}
	above, mask, count, divided := p.above(x), p.asm.GP64(), p.asm.GP64(), p.asm.ZMM()
	p.asm.of(ofTwo(p.asm.KMOVW), ofTwo(p.asm.KMOVB))(above, mask.As32())
	p.asm.POPCNTL(mask.As32(), count.As32())
	from := p.asm.ZMM()
	if p.asm.double {
		p.asm.VPBROADCASTQ(operand.Mem{Base: p.table, Index: mask, Scale: 8}, from)
		p.asm.VPSRLVQ(p.shifts, from, from)
		p.asm.VPERMQ(x, from, divided)
	} else {
		p.asm.VMOVDQU32(operand.Mem{Base: p.table, Index: count, Scale: 4}, from)
		p.asm.VPERMD(p.compressed(x, above), from, divided)
		p.asm.KNOTW(above, above)
		p.asm.VPCOMPRESSD(x, above, divided)
	}
	p.asm.VMOVDQU32(divided, operand.Mem{Base: p.low})
	p.asm.VMOVDQU32(divided, operand.Mem{Base: p.high, Disp: -64})
	p.asm.SHLQ(operand.U8(p.asm.keyBytesBits()), count)
	p.asm.SUBQ(count, p.high)
	p.asm.SUBQ(count, p.low)
	p.asm.ADDQ(operand.I32(64), p.low)
}

func (p partition) compressed(x vector, mask reg.Register) vector {
	result := p.asm.ZMM()
	p.asm.of(ofThree(p.asm.VPCOMPRESSD_Z), ofThree(p.asm.VPCOMPRESSQ_Z))(x, mask, result)
	return result
}

// ofTwo adapts an instruction that has only one form.
func ofTwo(plain func(x, y operand.Op)) instruction {
	return func(operands ...operand.Op) { plain(operands[0], operands[1]) }
}

// divideSome divides the lanes of x that are in here.
func (p partition) divideSome(x vector, here reg.OpmaskVirtual) {
	above, others := p.above(x), p.asm.K()
	p.asm.KANDNW(here, above, others)
	p.asm.KANDW(here, above, above)
	length := func(part reg.OpmaskVirtual) reg.GPVirtual {
		n := p.asm.GP64()
		p.asm.KMOVW(part, n.As32())
		p.asm.POPCNTL(n.As32(), n.As32())
		return n
	}
	write := func(part reg.OpmaskVirtual, n, to reg.GPVirtual) {
		p.asm.maskedStore(p.compressed(x, part), p.asm.remaining(n, 0), operand.Mem{Base: to})
	}
	low, high := length(others), length(above)
	write(others, low, p.low)
	p.asm.SHLQ(operand.U8(p.asm.keyBytesBits()), low)
	p.asm.ADDQ(low, p.low)
	bytes := p.asm.GP64()
	p.asm.MOVQ(high, bytes)
	p.asm.SHLQ(operand.U8(p.asm.keyBytesBits()), bytes)
	p.asm.SUBQ(bytes, p.high)
	write(above, high, p.high)
}
