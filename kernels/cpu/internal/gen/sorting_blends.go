package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blends are the steps of networks by AVX2, which has no masks.
type blends struct{ *network }

// rowRegisters is how many rows are in registers; the others are needed for what is on its way.
const rowRegisters = 12

// useMemory gives memory to the rows for which there are no registers.
func (n *network) useMemory() {
	for range len(n.rows) - rowRegisters {
		n.memory = append(n.memory, n.asm.AllocLocal(n.asm.bytes()))
	}
}

// within returns all ones for the lanes of vector number i that are among the first elements, as many as count says in all lanes.
func (b *blends) within(count vector, i int) vector {
	lanes := uint64(1 << b.asm.laneBits())
	numbers := make([]uint64, 4)
	for lane := range lanes {
		number := uint64(i)*lanes + lane
		if b.asm.double {
			numbers[lane] = number
		} else {
			numbers[lane/2] |= number << (lane % 2 * 32)
		}
	}
	mask := b.asm.vector()
	b.asm.of(b.asm.VPCMPGTD, b.asm.VPCMPGTQ)(b.asm.table(fmt.Sprintf("%s%dof%d", b.asm.name("numbers"), i, lanes), numbers...), count, mask)
	return mask
}

// everyLane returns a vector whose elements all equal the number.
func (b *blends) everyLane(number reg.GPVirtual) vector {
	low, result := b.asm.XMM(), b.asm.vector()
	b.asm.VMOVQ(number, low)
	b.asm.of(b.asm.VPBROADCASTD, b.asm.VPBROADCASTQ)(low, result)
	return result
}

func (b *blends) load(src reg.Register, count reg.GPVirtual) {
	largest, elements := b.asm.vector(), b.everyLane(count)
	b.asm.VPCMPEQD(largest, largest, largest)
	b.asm.of(b.asm.VPSRLD, b.asm.VPSRLQ)(operand.U8(1), largest, largest)
	for i := range b.rows {
		row := b.asm.vector()
		if i < len(b.rows)/2 {
			b.asm.VMOVDQU(b.asm.vectorAt(src, i), row)
		} else {
			mask := b.within(elements, i)
			b.asm.of(ofThree(b.asm.VPMASKMOVD), ofThree(b.asm.VPMASKMOVQ))(b.asm.vectorAt(src, i), mask, row)
			b.asm.VBLENDVPS(mask, row, largest, row)
		}
		b.setRow(i, row)
	}
}

// store goes to another end for each number of whole vectors: only one write is masked, since that takes some processors
// tens of cycles.
func (b *blends) store(dst reg.Register, count reg.GPVirtual) {
	rows, lanes := len(b.rows), 1<<b.asm.laneBits()
	end := func(i int) string { return fmt.Sprintf("end%dof%d", i, rows) }
	for i := range rows {
		if i >= rows/2 {
			b.asm.CMPQ(count, operand.I32((i+1)*lanes))
			b.asm.JLT(operand.LabelRef(end(i)))
		}
		b.asm.VMOVDQU(b.row(b.place(i)), b.asm.vectorAt(dst, i))
	}
	b.asm.VZEROUPPER()
	b.asm.RET()
	for i := rows / 2; i < rows; i++ {
		b.asm.Label(end(i))
		b.asm.of(ofThree(b.asm.VPMASKMOVD), ofThree(b.asm.VPMASKMOVQ))(b.row(b.place(i)), b.within(b.everyLane(count), i), b.asm.vectorAt(dst, i))
		b.asm.VZEROUPPER()
		b.asm.RET()
	}
}

func (b *blends) compare(i, j int) {
	x, y, low, high := b.row(i), b.row(j), b.asm.vector(), b.asm.vector()
	if b.asm.double {
		above := b.asm.vector()
		b.asm.VPCMPGTQ(y, x, above)
		b.asm.VBLENDVPD(above, y, x, low)
		b.asm.VBLENDVPD(above, x, y, high)
	} else {
		b.asm.VPMINSD(y, x, low)
		b.asm.VPMAXSD(y, x, high)
	}
	b.setRow(i, low)
	b.setRow(j, high)
}

// highWords returns the words of 32 bits whose lanes have the bit at position.
func (b *blends) highWords(position int) (words [8]bool) {
	for word := range words {
		lane := word
		if b.asm.double {
			lane /= 2
		}
		words[word] = lane>>position&1 == 1
	}
	return words
}

// blended returns the lanes of high that have the bit at position, and the others of low.
func (b *blends) blended(low, high vector, position int) vector {
	result, bits := b.asm.vector(), 0
	for word, isHigh := range b.highWords(position) {
		if isHigh {
			bits |= 1 << word
		}
	}
	b.asm.VPBLENDD(operand.U8(bits), high, low, result)
	return result
}

// wrong returns all ones for the lanes where x is above y but is to be below, which it is in lanes without the bit at position, or the
// other way round. For 64-bit elements, of which there are no minima and maxima.
func (b *blends) wrong(x, y vector, position int) vector {
	table := make([]uint64, 4)
	for word, isHigh := range b.highWords(position) {
		if isHigh {
			table[word/2] |= 0xFFFFFFFF << (word % 2 * 32)
		}
	}
	mask := b.asm.vector()
	b.asm.VPCMPGTQ(y, x, mask)
	b.asm.VPXOR(b.asm.table(fmt.Sprintf("highLanes%dof4", position), table...), mask, mask)
	return mask
}

func (b *blends) turn(i, j, below, position int) {
	x, y := b.row(i), b.shuffled(b.row(j), below)
	first, second := b.asm.vector(), b.asm.vector()
	if b.asm.double {
		wrong := b.wrong(x, y, position)
		b.asm.VBLENDVPD(wrong, y, x, first)
		b.asm.VBLENDVPD(wrong, x, y, second)
	} else {
		low, high := b.asm.vector(), b.asm.vector()
		b.asm.VPMINSD(y, x, low)
		b.asm.VPMAXSD(y, x, high)
		first, second = b.blended(low, high, position), b.blended(high, low, position)
	}
	b.setRow(i, first)
	b.setRow(j, b.shuffled(second, below))
}

func (b *blends) extremes(x, y vector, position int) vector {
	if b.asm.double {
		result := b.asm.vector()
		b.asm.VBLENDVPD(b.wrong(x, y, position), y, x, result)
		return result
	}
	low, high := b.asm.vector(), b.asm.vector()
	b.asm.VPMINSD(y, x, low)
	b.asm.VPMAXSD(y, x, high)
	return b.blended(low, high, position)
}

func (b *blends) shuffled(x vector, by int) vector {
	within, halves := by&3, by&4 // by words
	if b.asm.double {
		within, halves = by&1*2, by&2
	}
	if halves != 0 {
		other := b.asm.vector()
		b.asm.VPERM2I128(operand.U8(1), x, x, other)
		x = other
	}
	if within != 0 {
		other := b.asm.vector()
		b.asm.VPSHUFD(operand.U8(0^within|(1^within)<<2|(2^within)<<4|(3^within)<<6), x, other)
		x = other
	}
	return x
}

func (b *blends) swap(i, j, position int) {
	x, y := b.row(i), b.row(j)
	words := 1 << position
	if b.asm.double {
		words *= 2
	}
	low, high := b.asm.vector(), b.asm.vector()
	switch words {
	case 1:
		low, high = b.blended(x, b.shuffled(y, 1), position), b.blended(b.shuffled(x, 1), y, position)
	case 2:
		b.asm.VPUNPCKLQDQ(y, x, low)
		b.asm.VPUNPCKHQDQ(y, x, high)
	case 4:
		b.asm.VPERM2I128(operand.U8(0x20), y, x, low)
		b.asm.VPERM2I128(operand.U8(0x31), y, x, high)
	}
	b.setRow(i, low)
	b.setRow(j, high)
}
