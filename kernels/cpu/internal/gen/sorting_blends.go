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
		n.memory = append(n.memory, n.AllocLocal(n.bytes()))
	}
}

// within returns all ones for the lanes of vector number i that are among the first elements, as many as count says in all lanes.
func (b *blends) within(count vector, i int) vector {
	lanes := uint64(1 << b.laneBits())
	numbers := make([]uint64, 4)
	for lane := range lanes {
		number := uint64(i)*lanes + lane
		if b.double {
			numbers[lane] = number
		} else {
			numbers[lane/2] |= number << (lane % 2 * 32)
		}
	}
	mask := b.vector()
	b.of(b.VPCMPGTD, b.VPCMPGTQ)(b.table(fmt.Sprintf("%s%dof%d", b.name("numbers"), i, lanes), numbers...), count, mask)
	return mask
}

// everyLane returns a vector whose elements all equal the number.
func (b *blends) everyLane(number reg.GPVirtual) vector {
	low, result := b.XMM(), b.vector()
	b.VMOVQ(number, low)
	b.of(b.VPBROADCASTD, b.VPBROADCASTQ)(low, result)
	return result
}

func (b *blends) load(src reg.Register, count reg.GPVirtual) {
	largest, elements := b.vector(), b.everyLane(count)
	b.VPCMPEQD(largest, largest, largest)
	b.of(b.VPSRLD, b.VPSRLQ)(operand.U8(1), largest, largest)
	for i := range b.rows {
		row := b.vector()
		if i < len(b.rows)/2 {
			b.VMOVDQU(b.vectorAt(src, i), row)
		} else {
			mask := b.within(elements, i)
			b.of(ofThree(b.VPMASKMOVD), ofThree(b.VPMASKMOVQ))(b.vectorAt(src, i), mask, row)
			b.VBLENDVPS(mask, row, largest, row)
		}
		b.setRow(i, row)
	}
}

// store goes to another end for each number of whole vectors: only one write is masked, since that takes some processors
// tens of cycles.
func (b *blends) store(dst reg.Register, count reg.GPVirtual) {
	rows, lanes := len(b.rows), 1<<b.laneBits()
	end := func(i int) string { return fmt.Sprintf("end%dof%d", i, rows) }
	for i := range rows {
		if i >= rows/2 {
			b.CMPQ(count, operand.I32((i+1)*lanes))
			b.JLT(operand.LabelRef(end(i)))
		}
		b.VMOVDQU(b.row(b.place(i)), b.vectorAt(dst, i))
	}
	b.VZEROUPPER()
	b.RET()
	for i := rows / 2; i < rows; i++ {
		b.Label(end(i))
		b.of(ofThree(b.VPMASKMOVD), ofThree(b.VPMASKMOVQ))(b.row(b.place(i)), b.within(b.everyLane(count), i), b.vectorAt(dst, i))
		b.VZEROUPPER()
		b.RET()
	}
}

func (b *blends) compare(i, j int) {
	x, y, low, high := b.row(i), b.row(j), b.vector(), b.vector()
	if b.double {
		above := b.vector()
		b.VPCMPGTQ(y, x, above)
		b.VBLENDVPD(above, y, x, low)
		b.VBLENDVPD(above, x, y, high)
	} else {
		b.VPMINSD(y, x, low)
		b.VPMAXSD(y, x, high)
	}
	b.setRow(i, low)
	b.setRow(j, high)
}

// highWords returns the words of 32 bits whose lanes have the bit at position.
func (b *blends) highWords(position int) (words [8]bool) {
	for word := range words {
		lane := word
		if b.double {
			lane /= 2
		}
		words[word] = lane>>position&1 == 1
	}
	return words
}

// blended returns the lanes of high that have the bit at position, and the others of low.
func (b *blends) blended(low, high vector, position int) vector {
	result, bits := b.vector(), 0
	for word, isHigh := range b.highWords(position) {
		if isHigh {
			bits |= 1 << word
		}
	}
	b.VPBLENDD(operand.U8(bits), high, low, result)
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
	mask := b.vector()
	b.VPCMPGTQ(y, x, mask)
	b.VPXOR(b.table(fmt.Sprintf("highLanes%dof4", position), table...), mask, mask)
	return mask
}

func (b *blends) turn(i, j, below, position int) {
	x, y := b.row(i), b.shuffled(b.row(j), below)
	first, second := b.vector(), b.vector()
	if b.double {
		wrong := b.wrong(x, y, position)
		b.VBLENDVPD(wrong, y, x, first)
		b.VBLENDVPD(wrong, x, y, second)
	} else {
		low, high := b.vector(), b.vector()
		b.VPMINSD(y, x, low)
		b.VPMAXSD(y, x, high)
		first, second = b.blended(low, high, position), b.blended(high, low, position)
	}
	b.setRow(i, first)
	b.setRow(j, b.shuffled(second, below))
}

func (b *blends) extremes(x, y vector, position int) vector {
	if b.double {
		result := b.vector()
		b.VBLENDVPD(b.wrong(x, y, position), y, x, result)
		return result
	}
	low, high := b.vector(), b.vector()
	b.VPMINSD(y, x, low)
	b.VPMAXSD(y, x, high)
	return b.blended(low, high, position)
}

func (b *blends) shuffled(x vector, by int) vector {
	within, halves := by&3, by&4 // by words
	if b.double {
		within, halves = by&1*2, by&2
	}
	if halves != 0 {
		other := b.vector()
		b.VPERM2I128(operand.U8(1), x, x, other)
		x = other
	}
	if within != 0 {
		other := b.vector()
		b.VPSHUFD(operand.U8(0^within|(1^within)<<2|(2^within)<<4|(3^within)<<6), x, other)
		x = other
	}
	return x
}

func (b *blends) swap(i, j, position int) {
	x, y := b.row(i), b.row(j)
	words := 1 << position
	if b.double {
		words *= 2
	}
	low, high := b.vector(), b.vector()
	switch words {
	case 1:
		low, high = b.blended(x, b.shuffled(y, 1), position), b.blended(b.shuffled(x, 1), y, position)
	case 2:
		b.VPUNPCKLQDQ(y, x, low)
		b.VPUNPCKHQDQ(y, x, high)
	case 4:
		b.VPERM2I128(operand.U8(0x20), y, x, low)
		b.VPERM2I128(operand.U8(0x31), y, x, high)
	}
	b.setRow(i, low)
	b.setRow(j, high)
}
