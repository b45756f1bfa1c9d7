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
	line, k, lines, count := 0, unit*stepBytes/o.size, o.lines, stepBytes/o.size
	if o.kStep == o.size {
		line, k, lines, count = unit*panelLines, 0, panelLines, o.k
	}
	steps := o.steps()
	o.packPart(unsafe.Add(dst, (line/panelLines*steps+k*o.size/stepBytes)*2*tileBytes), src, line, lines, k, count, steps)
}

// packPart packs so many lines of so many elements along k, or those that there are, of the matrix at src to panels of so many steps.
func (o *amxOperand) packPart(dst, src unsafe.Pointer, line, lines, k, count, steps int) {
	o.packLines(unsafe.Add(src, line*o.lineStep+k*o.kStep), min(lines, o.lines-line), min(count, o.k-k), stepBytes, func(l, word int) unsafe.Pointer {
		return unsafe.Add(dst, (l/panelLines*steps+word/blockWords)*2*tileBytes+l%panelLines/tileLines*tileBytes)
	})
}
