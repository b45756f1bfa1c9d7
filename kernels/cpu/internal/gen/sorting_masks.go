package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// masks are the steps of networks by AVX-512.
type masks struct {
	*network
	high     []reg.OpmaskVirtual // of each position: the lanes that have the bit
	compared int                 // vectors so far
}

// highLanes returns, for each bit of the number of a lane, the lanes that have it.
func (a *assembler) highLanes() []reg.OpmaskVirtual {
	masks := make([]reg.OpmaskVirtual, a.laneBits())
	for i := range masks {
		mask, bits := uint32(0), a.GP32()
		for lane := range 1 << a.laneBits() {
			if lane>>i&1 == 1 {
				mask |= 1 << lane
			}
		}
		a.MOVL(operand.U32(mask), bits)
		masks[i] = a.K()
		a.KMOVW(bits, masks[i])
	}
	return masks
}

func (m *masks) load(src reg.Register, count reg.GPVirtual) {
	largest := m.asm.ZMM()
	m.asm.VPTERNLOGD(operand.U8(0xFF), largest, largest, largest)
	m.asm.of(m.asm.VPSRLD, m.asm.VPSRLQ)(operand.U8(1), largest, largest)
	for i := range m.rows {
		m.rows[i] = m.asm.ZMM()
		if i < len(m.rows)/2 {
			m.asm.VMOVDQU32(m.asm.vectorAt(src, i), m.rows[i])
			continue
		}
		m.asm.VMOVDQA32(largest, m.rows[i])
		m.asm.maskedLoad(m.asm.vectorAt(src, i), m.asm.remaining(count, i), m.rows[i])
	}
}

func (m *masks) store(dst reg.Register, count reg.GPVirtual) {
	for i := range m.rows {
		if row := m.rows[m.place(i)]; i < len(m.rows)/2 {
			m.asm.VMOVDQU32(row, m.asm.vectorAt(dst, i))
		} else {
			m.asm.maskedStore(row, m.asm.remaining(count, i), m.asm.vectorAt(dst, i))
		}
	}
}

func (m *masks) compare(i, j int) {
	x, y, low := m.rows[i], m.rows[j], m.asm.ZMM()
	if m.blends() {
		above := m.above(x, y)
		m.asm.VMOVDQA32(x, low)
		m.move(y, above, low)
		m.move(x, above, y)
	} else {
		m.asm.VPMINSD(x, y, low)
		m.asm.VPMAXSD(x, y, y)
	}
	m.rows[i] = low
}

// blends tells whether the next comparison is of those that are made by a mask. Of 64-bit elements all are, as minima and maxima take
// two steps each; of 32-bit elements these load one port of the processor alone, which is why some are masked.
func (m *masks) blends() bool {
	const each = 4
	m.compared++
	return m.asm.double || m.compared%each == 0
}

// above returns the lanes where x is larger than y.
func (m *masks) above(x, y vector) reg.OpmaskVirtual {
	mask := m.asm.K()
	m.asm.of(m.asm.VPCMPGTD, m.asm.VPCMPGTQ)(y, x, mask)
	return mask
}

// move writes the lanes of mask alone.
func (m *masks) move(from vector, mask reg.OpmaskVirtual, into vector) {
	m.asm.of(m.asm.VMOVDQA32, m.asm.VMOVDQA64)(from, mask, into)
}

func (m *masks) turn(i, j, below, position int) {
	x, y, first := m.rows[i], m.shuffled(m.rows[j], below), m.asm.ZMM()
	mask := m.above(x, y)
	m.asm.KXORW(m.high[position], mask, mask)
	m.asm.VMOVDQA32(x, first)
	m.move(y, mask, first)
	m.move(x, mask, y)
	m.rows[i], m.rows[j] = first, m.shuffled(y, below)
}

func (m *masks) extremes(x, y vector, position int) vector {
	result := m.asm.ZMM()
	if m.asm.double {
		mask := m.above(x, y)
		m.asm.KXORW(m.high[position], mask, mask)
		m.asm.VMOVDQA32(x, result)
		m.move(y, mask, result)
	} else {
		m.asm.VPMINSD(y, x, result)
		m.asm.VPMAXSD(y, x, m.high[position], result)
	}
	return result
}

func (m *masks) shuffled(x vector, by int) vector {
	result := m.asm.ZMM()
	m.shuffle(x, by, result)
	return result
}

// shuffle writes to result; with a mask only to its lanes.
func (m *masks) shuffle(x vector, by int, result vector, mask ...reg.OpmaskVirtual) {
	ops := func(first ...operand.Op) []operand.Op {
		for _, k := range mask {
			first = append(first, k)
		}
		return append(first, result)
	}
	quarters := func(by int) operand.U8 { // the number of each of four places, with the bits of by changed
		return operand.U8(0 ^ by | (1^by)<<2 | (2^by)<<4 | (3^by)<<6)
	}
	switch {
	case !m.asm.double && by < 4:
		m.asm.VPSHUFD(ops(quarters(by), x)...)
	case !m.asm.double && by&3 == 0:
		m.asm.VSHUFI32X4(ops(quarters(by>>2), x, x)...)
	case m.asm.double && by == 1:
		m.asm.VPERMILPD(ops(operand.U8(0x55), x)...)
	case m.asm.double && by&1 == 0:
		m.asm.VSHUFI64X2(ops(quarters(by>>1), x, x)...)
	case m.asm.double && by < 4:
		m.asm.VPERMQ(ops(quarters(by), x)...)
	default:
		from := m.asm.ZMM()
		m.asm.VMOVDQU32(m.places(by), from)
		m.asm.of(m.asm.VPERMD, m.asm.VPERMQ)(ops(x, from)...)
	}
}

// places is read-only memory with the number of each lane, changed by the bits of by.
func (m *masks) places(by int) operand.Mem {
	values := make([]uint64, 8)
	for lane := range 1 << m.asm.laneBits() {
		if m.asm.double {
			values[lane] = uint64(lane ^ by)
		} else {
			values[lane/2] |= uint64(lane^by) << (lane % 2 * 32)
		}
	}
	return m.asm.table(fmt.Sprintf("%s%d", m.asm.name("places"), by), values...)
}

func (m *masks) swap(i, j, position int) {
	x, y := m.rows[i], m.rows[j]
	m.rows[j] = m.shuffled(x, 1<<position)
	m.shuffle(y, 1<<position, x, m.high[position])
	m.move(y, m.high[position], m.rows[j])
}
