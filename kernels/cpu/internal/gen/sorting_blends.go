package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The steps of networks by AVX2, which has no masks: elements are chosen by blends.

// rowRegisters is how many rows are in registers; the others are needed for what is on its way.
const rowRegisters = 12

// useMemory gives memory to the rows for which there are no registers.
func (n *network) useMemory() {
	if n.wide {
		return
	}
	for range len(n.rows) - rowRegisters {
		n.memory = append(n.memory, n.AllocLocal(n.bytes()))
	}
}

// within returns all ones for the lanes of vector number i that are among the first elements, as many as count says in all lanes.
func (n *network) within(count vector, i int) vector {
	lanes := uint64(1 << n.laneBits())
	numbers := make([]uint64, 4)
	for lane := range lanes {
		number := uint64(i)*lanes + lane
		if n.double {
			numbers[lane] = number
		} else {
			numbers[lane/2] |= number << (lane % 2 * 32)
		}
	}
	mask := n.vector()
	n.of(n.VPCMPGTD, n.VPCMPGTQ)(n.table(fmt.Sprintf("%s%dof%d", n.name("numbers"), i, lanes), numbers...), count, mask)
	return mask
}

// everyLane returns a vector whose elements all equal the number.
func (n *network) everyLane(number reg.GPVirtual) vector {
	low, result := n.XMM(), n.vector()
	n.VMOVQ(number, low)
	n.of(n.VPBROADCASTD, n.VPBROADCASTQ)(low, result)
	return result
}

func (n *network) loadBlended(src reg.Register, count reg.GPVirtual) {
	largest, elements := n.vector(), n.everyLane(count)
	n.VPCMPEQD(largest, largest, largest)
	n.of(n.VPSRLD, n.VPSRLQ)(operand.U8(1), largest, largest)
	for i := range n.rows {
		row := n.vector()
		if i < len(n.rows)/2 {
			n.VMOVDQU(n.vectorAt(src, i), row)
		} else {
			mask := n.within(elements, i)
			n.of(ofThree(n.VPMASKMOVD), ofThree(n.VPMASKMOVQ))(n.vectorAt(src, i), mask, row)
			n.VBLENDVPS(mask, row, largest, row)
		}
		n.setRow(i, row)
	}
}

// storeBlended goes to another end for each number of whole vectors: only one write is masked, since that takes some processors
// tens of cycles.
func (n *network) storeBlended(dst reg.Register, count reg.GPVirtual) {
	rows, lanes := len(n.rows), 1<<n.laneBits()
	end := func(i int) string { return fmt.Sprintf("end%dof%d", i, rows) }
	for i := range rows {
		if i >= rows/2 {
			n.CMPQ(count, operand.I32((i+1)*lanes))
			n.JLT(operand.LabelRef(end(i)))
		}
		n.VMOVDQU(n.row(n.place(i)), n.vectorAt(dst, i))
	}
	n.VZEROUPPER()
	n.RET()
	for i := rows / 2; i < rows; i++ {
		n.Label(end(i))
		n.of(ofThree(n.VPMASKMOVD), ofThree(n.VPMASKMOVQ))(n.row(n.place(i)), n.within(n.everyLane(count), i), n.vectorAt(dst, i))
		n.VZEROUPPER()
		n.RET()
	}
}

func (n *network) compareBlended(i, j int) {
	x, y, low, high := n.row(i), n.row(j), n.vector(), n.vector()
	if n.double {
		above := n.vector()
		n.VPCMPGTQ(y, x, above)
		n.VBLENDVPD(above, y, x, low)
		n.VBLENDVPD(above, x, y, high)
	} else {
		n.VPMINSD(y, x, low)
		n.VPMAXSD(y, x, high)
	}
	n.setRow(i, low)
	n.setRow(j, high)
}

// highWords returns the words of 32 bits whose lanes have the bit at position.
func (n *network) highWords(position int) (words [8]bool) {
	for word := range words {
		lane := word
		if n.double {
			lane /= 2
		}
		words[word] = lane>>position&1 == 1
	}
	return words
}

// blended returns the lanes of high that have the bit at position, and the others of low.
func (n *network) blended(low, high vector, position int) vector {
	result, bits := n.vector(), 0
	for word, isHigh := range n.highWords(position) {
		if isHigh {
			bits |= 1 << word
		}
	}
	n.VPBLENDD(operand.U8(bits), high, low, result)
	return result
}

// wrong returns all ones for the lanes where x is above y but is to be below, which it is in lanes without the bit at position, or the
// other way round. For 64-bit elements, of which there are no minima and maxima.
func (n *network) wrong(x, y vector, position int) vector {
	table := make([]uint64, 4)
	for word, isHigh := range n.highWords(position) {
		if isHigh {
			table[word/2] |= 0xFFFFFFFF << (word % 2 * 32)
		}
	}
	mask := n.vector()
	n.VPCMPGTQ(y, x, mask)
	n.VPXOR(n.table(fmt.Sprintf("highLanes%dof4", position), table...), mask, mask)
	return mask
}

func (n *network) turnBlended(i, j, below, position int) {
	x, y := n.row(i), n.shuffledHalves(n.row(j), below)
	first, second := n.vector(), n.vector()
	if n.double {
		wrong := n.wrong(x, y, position)
		n.VBLENDVPD(wrong, y, x, first)
		n.VBLENDVPD(wrong, x, y, second)
	} else {
		low, high := n.vector(), n.vector()
		n.VPMINSD(y, x, low)
		n.VPMAXSD(y, x, high)
		first, second = n.blended(low, high, position), n.blended(high, low, position)
	}
	n.setRow(i, first)
	n.setRow(j, n.shuffledHalves(second, below))
}

func (n *network) extremesBlended(x, y vector, position int) vector {
	if n.double {
		result := n.vector()
		n.VBLENDVPD(n.wrong(x, y, position), y, x, result)
		return result
	}
	low, high := n.vector(), n.vector()
	n.VPMINSD(y, x, low)
	n.VPMAXSD(y, x, high)
	return n.blended(low, high, position)
}

func (n *network) shuffledHalves(x vector, by int) vector {
	within, halves := by&3, by&4 // by words
	if n.double {
		within, halves = by&1*2, by&2
	}
	if halves != 0 {
		other := n.vector()
		n.VPERM2I128(operand.U8(1), x, x, other)
		x = other
	}
	if within != 0 {
		other := n.vector()
		n.VPSHUFD(operand.U8(0^within|(1^within)<<2|(2^within)<<4|(3^within)<<6), x, other)
		x = other
	}
	return x
}

func (n *network) swapBlended(i, j, position int) {
	x, y := n.row(i), n.row(j)
	words := 1 << position
	if n.double {
		words *= 2
	}
	low, high := n.vector(), n.vector()
	switch words {
	case 1:
		low, high = n.blended(x, n.shuffledHalves(y, 1), position), n.blended(n.shuffledHalves(x, 1), y, position)
	case 2:
		n.VPUNPCKLQDQ(y, x, low)
		n.VPUNPCKHQDQ(y, x, high)
	case 4:
		n.VPERM2I128(operand.U8(0x20), y, x, low)
		n.VPERM2I128(operand.U8(0x31), y, x, high)
	}
	n.setRow(i, low)
	n.setRow(j, high)
}
