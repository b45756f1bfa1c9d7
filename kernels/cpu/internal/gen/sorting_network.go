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
			a.writeDescent()
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
	asm    *assembler
	rows   []vector
	memory []operand.Mem // of the last rows, for which there are no registers
	order  []int         // positions of the bits of the lane, the least significant first
	steps  networkSteps
}

// networkSteps are the steps of a network by the instructions of some processors.
type networkSteps interface {
	// load fills what is behind the last element with the largest key. More than half of the vectors are full.
	load(src reg.Register, count reg.GPVirtual)
	store(dst reg.Register, count reg.GPVirtual)
	// compare puts the smaller elements into vector i and the larger into vector j.
	compare(i, j int)
	// turn compares vector i with vector j, the lanes of which are taken backwards by the bits of below. The larger
	// elements go to the lanes with the bit at position.
	turn(i, j, below, position int)
	// extremes returns the larger of each two elements in the lanes with the bit at position, and the smaller in the others.
	extremes(x, y vector, position int) vector
	// shuffled returns x with lanes exchanged whose numbers differ by the bits of by.
	shuffled(x vector, by int) vector
	// swap exchanges the lanes of vector i that have the bit at position with those of vector j that have not.
	swap(i, j, position int)
}

// row returns a row in a register.
func (n *network) row(i int) vector {
	if first := len(n.rows) - len(n.memory); i >= first {
		return n.asm.loadFrom(n.memory[i-first])
	}
	return n.rows[i]
}

func (n *network) setRow(i int, row vector) {
	if first := len(n.rows) - len(n.memory); i >= first {
		n.asm.storeTo(row, n.memory[i-first])
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
		n := &network{asm: a, rows: make([]vector, rows)}
		if a.wide {
			n.steps = &masks{network: n, high: high}
		} else {
			n.steps = &blends{n}
			n.useMemory()
		}
		rowBits := bits.Len(uint(rows)) - 1
		for i := range a.laneBits() {
			n.order = append(n.order, (i+rowBits)%max(a.laneBits(), 1))
		}
		if rowBits >= a.laneBits() {
			for i := range n.order {
				n.order[i] = i
			}
		}
		n.steps.load(src, count)
		n.sortColumns()
		n.mergeColumns()
		n.exchange()
		n.steps.store(dst, count)
		a.VZEROUPPER()
		a.RET()
		a.Label(label)
	}
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

// place returns which row is stored as number i.
func (n *network) place(i int) int {
	if rows, lanes := len(n.rows), 1<<n.asm.laneBits(); rows > lanes {
		return i%(rows/lanes)*lanes + i/(rows/lanes)
	}
	return i
}

// sortColumns sorts the elements of each lane, by Batcher's merge of odd and even ones.
func (n *network) sortColumns() {
	count := len(n.rows)
	for size := 1; size < count; size *= 2 {
		for step := size; step >= 1; step /= 2 {
			for first := step % size; first+step < count; first += 2 * step {
				for i := range min(step, count-first-step) {
					if (first+i)/(2*size) == (first+i+step)/(2*size) {
						n.steps.compare(first+i, first+i+step)
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
				n.steps.turn(i, j, below, position)
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
					n.steps.compare(i, i+step)
				}
			}
		}
	}
}

// setExtremes compares the lanes of a row whose numbers differ by the bits of by. The larger elements go to the lanes
// with the bit at position.
func (n *network) setExtremes(i, by, position int) {
	x := n.row(i)
	n.setRow(i, n.steps.extremes(x, n.steps.shuffled(x, by), position))
}

// exchange swaps the bits of the number of the vector with those of the lane.
func (n *network) exchange() {
	for bit := 0; bit < n.asm.laneBits() && 1<<bit < len(n.rows); bit++ {
		for i := range n.rows {
			if i>>bit&1 == 0 {
				n.steps.swap(i, i|1<<bit, bit)
			}
		}
	}
}
