package gemm

import "unsafe"

// amxOperand is A or B as tiles.
type amxOperand struct {
	operand
	lines, k int
}

func (o *amxOperand) steps() int  { return pieces(o.k*o.size, 64) }
func (o *amxOperand) panels() int { return pieces(o.lines, panelLines) }

// units is into how many the packing is cut: panels, or steps where lines are adjacent, so that memory is read in its order.
func (o *amxOperand) units() int {
	if o.kStep == o.size {
		return o.panels()
	}
	return o.steps()
}

// packUnit packs a unit of the matrix at src.
func (o *amxOperand) packUnit(dst, src unsafe.Pointer, unit int) {
	line, k, lines, count := 0, unit*64/o.size, o.lines, 64/o.size
	if o.kStep == o.size {
		line, k, lines, count = unit*panelLines, 0, panelLines, o.k
	}
	steps := o.steps()
	o.packLines(unsafe.Add(src, line*o.lineStep+k*o.kStep), min(lines, o.lines-line), min(count, o.k-k), 64, func(l, word int) unsafe.Pointer {
		l, step := l+line, k*o.size/64+word/blockWords
		return unsafe.Add(dst, (l/panelLines*steps+step)*2*tileBytes+l%panelLines/tileLines*tileBytes)
	})
}
