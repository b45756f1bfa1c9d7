package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeSorting writes what sorts keys, which are signed integers: networks for short lists, partitions of long ones, and the
// maps between elements and keys.
func writeSorting(f *file) {
	for _, double := range []bool{false, true} {
		f.each(double, func(a *assembler) {
			a.writeShortLists()
			a.writePartition()
			a.writeMap("encode", a.encode)
			a.writeMap("decode", a.decode)
			a.writeSelection(a.keyBits())
			if !double {
				a.writeSelection(16)
				a.writeSelection(8)
			}
		})
	}
}

// key is the Go type of the elements.
func (a *assembler) key() string {
	if a.double {
		return "int64"
	}
	return "int32"
}

// name returns the name of a function for the width of the elements.
func (a *assembler) name(stem string) string {
	if a.double {
		return stem + "64"
	}
	return stem + "32"
}

// laneBits is the logarithm of the number of lanes.
func (a *assembler) laneBits() int { return bits.Len(uint(8*a.bytes()/a.keyBits())) - 1 }

// network sorts the elements of some vectors by comparisons that do not depend on them (Batcher, "Sorting networks and their
// applications", AFIPS 1968). The place of an element in the order has the bits of the number of its vector below those of
// its lane, so that most comparisons are of whole vectors; at the end vectors and lanes are exchanged.
type network struct {
	*assembler
	rows     []vector
	memory   []operand.Mem       // of the last rows, for which there are no registers
	order    []int               // positions of the bits of the lane, the least significant first
	high     []reg.OpmaskVirtual // AVX-512, of each position: the lanes that have the bit
	compared int                 // vectors so far
}

// row returns a row in a register.
func (n *network) row(i int) vector {
	if first := len(n.rows) - len(n.memory); i >= first {
		return n.loadFrom(n.memory[i-first])
	}
	return n.rows[i]
}

func (n *network) setRow(i int, row vector) {
	if first := len(n.rows) - len(n.memory); i >= first {
		n.storeTo(row, n.memory[i-first])
	} else {
		n.rows[i] = row
	}
}

// writeShortLists writes a function that sorts up to 16 vectors.
func (a *assembler) writeShortLists() {
	lanes := 1 << a.laneBits()
	a.begin(a.name("short"), fmt.Sprintf("dst, src *%s, count int", a.key()),
		fmt.Sprintf("sorts count keys, from 1 to %d, of src into dst, which may be the same.", 16*lanes))
	src, dst := a.integer("src"), a.integer("dst")
	count := a.integer("count")
	var high []reg.OpmaskVirtual
	if a.wide {
		high = a.highLanes()
	}
	for rows := 1; rows <= 16; rows *= 2 {
		label := fmt.Sprintf("above%d", rows)
		if rows < 16 {
			a.CMPQ(count, operand.I32(rows*lanes))
			a.JGT(operand.LabelRef(label))
		}
		n := &network{assembler: a, rows: make([]vector, rows), high: high}
		n.useMemory()
		rowBits := bits.Len(uint(rows)) - 1
		for i := range a.laneBits() {
			n.order = append(n.order, (i+rowBits)%max(a.laneBits(), 1))
		}
		if rowBits >= a.laneBits() {
			for i := range n.order {
				n.order[i] = i
			}
		}
		n.load(src, count)
		n.sortColumns()
		n.mergeColumns()
		n.exchange()
		n.store(dst, count)
		a.VZEROUPPER()
		a.RET()
		a.Label(label)
	}
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

// remaining returns a mask of the lanes of vector number i that are among the first count elements.
func (a *assembler) remaining(count reg.GPVirtual, i int) reg.OpmaskVirtual {
	lanes := 1 << a.laneBits()
	left, zero, all, mask := a.GP64(), a.GP64(), a.GP64(), a.K()
	a.MOVQ(count, left)
	a.SUBQ(operand.I32(i*lanes), left)
	a.XORQ(zero, zero)
	a.TESTQ(left, left)
	a.CMOVQLT(zero, left)
	a.MOVQ(operand.I32(-1), all)
	a.BZHIQ(left, all, all)
	a.KMOVW(all.As32(), mask)
	return mask
}

func (a *assembler) vectorAt(base reg.Register, i int) operand.Mem {
	return operand.Mem{Base: base, Disp: a.bytes() * i}
}

func (a *assembler) maskedLoad(from operand.Mem, mask reg.Register, into vector) {
	a.of(a.VMOVDQU32, a.VMOVDQU64)(from, mask, into)
}

func (a *assembler) maskedStore(from vector, mask reg.Register, to operand.Mem) {
	a.of(a.VMOVDQU32, a.VMOVDQU64)(from, mask, to)
}

// load fills what is behind the last element with the largest key. More than half of the vectors are full.
func (n *network) load(src reg.Register, count reg.GPVirtual) {
	if !n.wide {
		n.loadBlended(src, count)
		return
	}
	largest := n.ZMM()
	n.VPTERNLOGD(operand.U8(0xFF), largest, largest, largest)
	n.of(n.VPSRLD, n.VPSRLQ)(operand.U8(1), largest, largest)
	for i := range n.rows {
		n.rows[i] = n.ZMM()
		if i < len(n.rows)/2 {
			n.VMOVDQU32(n.vectorAt(src, i), n.rows[i])
			continue
		}
		n.VMOVDQA32(largest, n.rows[i])
		n.maskedLoad(n.vectorAt(src, i), n.remaining(count, i), n.rows[i])
	}
}

func (n *network) store(dst reg.Register, count reg.GPVirtual) {
	if !n.wide {
		n.storeBlended(dst, count)
		return
	}
	for i := range n.rows {
		if row := n.rows[n.place(i)]; i < len(n.rows)/2 {
			n.VMOVDQU32(row, n.vectorAt(dst, i))
		} else {
			n.maskedStore(row, n.remaining(count, i), n.vectorAt(dst, i))
		}
	}
}

// place returns which row is stored as number i.
func (n *network) place(i int) int {
	if rows, lanes := len(n.rows), 1<<n.laneBits(); rows > lanes {
		return i%(rows/lanes)*lanes + i/(rows/lanes)
	}
	return i
}

// compare puts the smaller elements into vector i and the larger into vector j.
func (n *network) compare(i, j int) {
	if !n.wide {
		n.compareBlended(i, j)
		return
	}
	x, y, low := n.rows[i], n.rows[j], n.ZMM()
	if n.blends() {
		above := n.above(x, y)
		n.VMOVDQA32(x, low)
		n.move(y, above, low)
		n.move(x, above, y)
	} else {
		n.VPMINSD(x, y, low)
		n.VPMAXSD(x, y, y)
	}
	n.rows[i] = low
}

// blends tells whether the next comparison is of those that are made by a mask. Of 64-bit elements all are, as minima and maxima take
// two steps each; of 32-bit elements these load one port of the processor alone, which is why some are masked.
func (n *network) blends() bool {
	const each = 4
	n.compared++
	return n.double || n.compared%each == 0
}

// above returns the lanes where x is larger than y.
func (n *network) above(x, y vector) reg.OpmaskVirtual {
	mask := n.K()
	n.of(n.VPCMPGTD, n.VPCMPGTQ)(y, x, mask)
	return mask
}

// sortColumns sorts the elements of each lane, by Batcher's merge of odd and even ones.
func (n *network) sortColumns() {
	count := len(n.rows)
	for size := 1; size < count; size *= 2 {
		for step := size; step >= 1; step /= 2 {
			for first := step % size; first+step < count; first += 2 * step {
				for i := range min(step, count-first-step) {
					if (first+i)/(2*size) == (first+i+step)/(2*size) {
						n.compare(first+i, first+i+step)
					}
				}
			}
		}
	}
}

// mergeColumns merges neighbouring lists until one is left. Each merge compares the elements of one list with those of the
// other, backwards, and then sorts both halves, each of which is bitonic.
func (n *network) mergeColumns() {
	last := len(n.rows) - 1
	below := 0
	for _, position := range n.order {
		below |= 1 << position
		for i := range (len(n.rows) + 1) / 2 {
			if j := last - i; j != i {
				n.turn(i, j, below, position)
			} else {
				n.setExtremes(i, below, position)
			}
		}
		for k := len(n.order) - 1; k >= 0; k-- {
			if bit := n.order[k]; below>>bit&1 == 1 && bit != position {
				for i := range n.rows {
					n.setExtremes(i, 1<<bit, bit)
				}
			}
		}
		for step := len(n.rows) / 2; step >= 1; step /= 2 {
			for i := range n.rows {
				if i&step == 0 {
					n.compare(i, i+step)
				}
			}
		}
	}
}

// setExtremes compares the lanes of a row whose numbers differ by the bits of by. The larger elements go to the lanes with the bit at position.
func (n *network) setExtremes(i, by, position int) {
	x := n.row(i)
	n.setRow(i, n.extremes(x, n.shuffled(x, by), position))
}

// move writes the lanes of mask alone.
func (n *network) move(from vector, mask reg.OpmaskVirtual, into vector) {
	n.of(n.VMOVDQA32, n.VMOVDQA64)(from, mask, into)
}

// turn compares vector i with vector j, the lanes of which are taken backwards by the bits of below. The larger elements go to the lanes
// with the bit at position.
func (n *network) turn(i, j, below, position int) {
	if !n.wide {
		n.turnBlended(i, j, below, position)
		return
	}
	x, y, first := n.rows[i], n.shuffled(n.rows[j], below), n.ZMM()
	mask := n.above(x, y)
	n.KXORW(n.high[position], mask, mask)
	n.VMOVDQA32(x, first)
	n.move(y, mask, first)
	n.move(x, mask, y)
	n.rows[i], n.rows[j] = first, n.shuffled(y, below)
}

// extremes returns the larger of each two elements in the lanes with the bit at position, and the smaller in the others.
func (n *network) extremes(x, y vector, position int) vector {
	if !n.wide {
		return n.extremesBlended(x, y, position)
	}
	result := n.ZMM()
	if n.double {
		mask := n.above(x, y)
		n.KXORW(n.high[position], mask, mask)
		n.VMOVDQA32(x, result)
		n.move(y, mask, result)
	} else {
		n.VPMINSD(y, x, result)
		n.VPMAXSD(y, x, n.high[position], result)
	}
	return result
}

// shuffled returns x with lanes exchanged whose numbers differ by the bits of by.
func (n *network) shuffled(x vector, by int) vector {
	if !n.wide {
		return n.shuffledHalves(x, by)
	}
	result := n.ZMM()
	n.shuffle(x, by, result)
	return result
}

// shuffle writes to result; with a mask only to its lanes.
func (n *network) shuffle(x vector, by int, result vector, mask ...reg.OpmaskVirtual) {
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
	case !n.double && by < 4:
		n.VPSHUFD(ops(quarters(by), x)...)
	case !n.double && by&3 == 0:
		n.VSHUFI32X4(ops(quarters(by>>2), x, x)...)
	case n.double && by == 1:
		n.VPERMILPD(ops(operand.U8(0x55), x)...)
	case n.double && by&1 == 0:
		n.VSHUFI64X2(ops(quarters(by>>1), x, x)...)
	case n.double && by < 4:
		n.VPERMQ(ops(quarters(by), x)...)
	default:
		from := n.ZMM()
		n.VMOVDQU32(n.places(by), from)
		n.of(n.VPERMD, n.VPERMQ)(ops(x, from)...)
	}
}

// places is read-only memory with the number of each lane, changed by the bits of by.
func (n *network) places(by int) operand.Mem {
	values := make([]uint64, 8)
	for lane := range 1 << n.laneBits() {
		if n.double {
			values[lane] = uint64(lane ^ by)
		} else {
			values[lane/2] |= uint64(lane^by) << (lane % 2 * 32)
		}
	}
	return n.table(fmt.Sprintf("%s%d", n.name("places"), by), values...)
}

// exchange swaps the bits of the number of the vector with those of the lane.
func (n *network) exchange() {
	for bit := 0; bit < n.laneBits() && 1<<bit < len(n.rows); bit++ {
		for i := range n.rows {
			if i>>bit&1 == 0 {
				n.swap(i, i|1<<bit, bit)
			}
		}
	}
}

// swap exchanges the lanes of vector i that have the bit at position with those of vector j that have not.
func (n *network) swap(i, j, position int) {
	if !n.wide {
		n.swapBlended(i, j, position)
		return
	}
	x, y := n.rows[i], n.rows[j]
	n.rows[j] = n.shuffled(x, 1<<position)
	n.shuffle(y, 1<<position, x, n.high[position])
	n.move(y, n.high[position], n.rows[j])
}
