package gemm

import "unsafe"

// amxOperand is A, whose lines are rows, or B, whose lines are columns. Steps are in bytes.
type amxOperand struct {
	*amx
	lineStep, kStep int
	lines, k        int
	byWords         bool // B: a row of a tile is of words of all its lines
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

// pack packs a unit of the matrix at src.
func (o *amxOperand) pack(dst, src unsafe.Pointer, unit int) {
	if o.kStep == o.size {
		for step := range o.steps() {
			o.packStep(dst, src, unit, step)
		}
		return
	}
	for panel := range o.panels() {
		o.packStep(dst, src, panel, unit)
	}
}

// packStep packs the two tiles of one step of one panel.
func (o *amxOperand) packStep(dst, src unsafe.Pointer, panel, step int) {
	dst = unsafe.Add(dst, (panel*o.steps()+step)*2*tileBytes)
	first, length := step*64/o.size, 64/o.size
	for tile, line := 0, panel*panelLines; tile < 2 && line < o.lines; tile, line = tile+1, line+tileLines {
		to, from := unsafe.Add(dst, tile*tileBytes), unsafe.Add(src, line*o.lineStep+first*o.kStep)
		if lines, count := min(tileLines, o.lines-line), min(length, o.k-first); lines < tileLines || count < length || o.kStep != o.size && o.lineStep != o.size {
			o.packPart(to, from, lines, count)
		} else {
			o.packTile(to, from, o.lineStep, o.kStep)
		}
	}
}

// packTile packs a whole tile, along one side of which elements are adjacent.
func (o *amxOperand) packTile(dst, src unsafe.Pointer, lineStep, kStep int) {
	to, from := (*byte)(dst), (*byte)(src)
	switch {
	case kStep == o.size && o.byWords:
		o.turn(to, from, 64, lineStep, 1)
	case kStep == o.size:
		for line := range tileLines {
			*(*[64]byte)(unsafe.Add(dst, 64*line)) = *(*[64]byte)(unsafe.Add(src, line*lineStep))
		}
	case o.byWords:
		o.interleave(to, from, kStep)
	default:
		var words [tileBytes]byte
		o.interleave(&words[0], from, kStep)
		o.turn(to, &words[0], 64, 64, 1)
	}
}

// packPart packs some lines of some elements, and zeros beside them.
func (o *amxOperand) packPart(dst, src unsafe.Pointer, lines, count int) {
	var whole [tileBytes]byte
	lineStep, kStep := 64, o.size
	if o.lineStep == o.size {
		lineStep, kStep = o.size, tileLines*o.size
		for k := range count {
			copy(whole[k*kStep:], unsafe.Slice((*byte)(unsafe.Add(src, k*o.kStep)), lines*o.size))
		}
	} else {
		for line := range lines {
			from, to := unsafe.Add(src, line*o.lineStep), whole[line*lineStep:]
			switch {
			case o.kStep == o.size:
				copy(to, unsafe.Slice((*byte)(from), count*o.size))
			case o.size == 1:
				for k := range count {
					to[k] = *(*byte)(unsafe.Add(from, k*o.kStep))
				}
			default:
				for k := range count {
					*(*uint16)(unsafe.Pointer(&to[2*k])) = *(*uint16)(unsafe.Add(from, k*o.kStep))
				}
			}
		}
	}
	o.packTile(dst, unsafe.Pointer(&whole), lineStep, kStep)
}
