package main

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectorLoop is what the loops of a function have in common.
type vectorLoop struct {
	asm *assembler
	function
	to   reg.Register
	from []reg.Register
	rest reg.Register // elements
	// left is how many vectors the masked loop is to take before the next block, and patience how many it is to take after a
	// block that is left: as many as a block has, and twice as many after each that follows one that was left, too.
	left, patience reg.Register
}

// write writes the function over count elements from x and y to dst. It returns the number of elements before the first vector that
// needs a Go function.
func (f function) write(a *assembler) {
	element := "float32"
	if f.double {
		element = "float64"
	}
	a.double, a.leave = f.double || f.widened, toGo
	l, names, assembledType := &vectorLoop{asm: a, function: f}, []string{"x"}, "assembledUnary"
	if f.body2 != nil {
		names, assembledType = append(names, "y"), "assembledBinary"
	}
	a.begin(f.name(), "dst, "+strings.Join(names, ", ")+" *"+element+", count, form int) (done int", "computes "+f.operator+"; see "+assembledType+".")
	l.to = a.Load(a.Param("dst"), a.GP64())
	for _, name := range names {
		l.from = append(l.from, a.Load(a.Param(name), a.GP64()))
	}
	count := a.Load(a.Param("count"), a.GP64())
	l.rest = a.GP64()
	a.MOVQ(count, l.rest)
	if f.vectorsOfBlock(a.wide) > 0 {
		l.writeBlocks()
	}
	if a.wide {
		l.writeMasked()
	} else {
		l.writeWhole()
	}
	a.Label(toGo)
	a.SUBQ(l.rest, count)
	a.Store(count, a.ReturnIndex(0))
	a.VZEROUPPER()
	a.RET()
}

// lanes is how many elements a vector has.
func (l vectorLoop) lanes() int {
	if l.asm.double {
		return l.asm.bytes() / 8
	}
	return l.asm.bytes() / 4
}

// advance moves on by count elements.
func (l vectorLoop) advance(count int) {
	size := 4
	if l.function.double {
		size = 8
	}
	for _, address := range append([]reg.Register{l.to}, l.from...) {
		l.asm.ADDQ(operand.I32(count*size), address)
	}
	l.asm.SUBQ(operand.I32(count), l.rest)
}

// narrowed returns the result in the elements' size.
func (l vectorLoop) narrowed(result vector) vector {
	if !l.widened {
		return result
	}
	narrow, convert := l.asm.half(), l.asm.VCVTPD2PSY
	if l.asm.wide {
		convert = l.asm.VCVTPD2PS
	}
	convert(result, narrow)
	return narrow
}

// elementsBytes is how much memory the elements of a vector take.
func (l vectorLoop) elementsBytes() int {
	if l.widened {
		return l.asm.bytes() / 2
	}
	return l.asm.bytes()
}

// elements loads a vector of elements that lie so many bytes behind an address.
func (l vectorLoop) elements(from reg.Register, offset int) vector {
	if !l.widened {
		return l.asm.load(from, offset)
	}
	x := l.asm.vector()
	l.asm.VCVTPS2PD(operand.Mem{Base: from, Disp: offset}, x)
	return x
}

// writeWhole writes the loop for a number of elements that is a multiple of a vector.
func (l vectorLoop) writeWhole() {
	l.asm.TESTQ(l.rest, l.rest)
	l.asm.JZ(operand.LabelRef(toGo))
	l.asm.Label("loop")
	values := []value{}
	for _, from := range l.from {
		values = append(values, l.elements(from, 0))
	}
	code := lanes{l.asm}
	l.asm.VMOVUPS(l.narrowed(code.register(l.function.of(code, values))), operand.Mem{Base: l.to})
	l.advance(l.lanes())
	if vectors := l.vectorsOfBlock(false); vectors > 0 { // What a block has left is behind, that of two after two steps.
		if vectors == 2 {
			l.asm.TESTQ(operand.I32(l.lanes()), l.rest)
			l.asm.JNZ(operand.LabelRef("loop"))
		}
		l.asm.CMPQ(l.rest, operand.I32(vectors*l.lanes()))
		l.asm.JGE(operand.LabelRef("block"))
		l.asm.TESTQ(l.rest, l.rest)
	}
	l.asm.JNZ(operand.LabelRef("loop"))
}

// block writes the steps of a block, and returns its results.
func (l vectorLoop) block(vectors int) several {
	operands := []value{}
	for _, from := range l.from {
		block := several{}
		for i := range vectors {
			if l.asm.wide {
				l.asm.PREFETCHT0(operand.Mem{Base: from, Disp: i*l.elementsBytes() + ahead})
			}
			block = append(block, l.elements(from, i*l.elementsBytes()))
		}
		operands = append(operands, block)
	}
	l.asm.leave = toLoop
	results := l.function.of(abreast{lanes{l.asm}, vectors}, operands).(several)
	l.asm.leave = toGo
	return results
}

func (l vectorLoop) storeBlock(results several) {
	for i, result := range results {
		l.asm.VMOVUPS(l.narrowed(lanes{l.asm}.register(result)), operand.Mem{Base: l.to, Disp: i * l.elementsBytes()})
	}
}

// writeMasked writes the loop for any number of elements.
func (l vectorLoop) writeMasked() {
	l.asm.TESTQ(l.rest, l.rest)
	l.asm.JZ(operand.LabelRef(toGo))
	l.asm.Label("vector")
	ones, bits, mask := l.asm.GP32(), l.asm.GP32(), l.asm.K()
	l.asm.MOVL(operand.U32(l.lanes()), bits)
	l.asm.CMPQ(l.rest, operand.I32(l.lanes()))
	l.asm.CMOVLLT(l.rest.(reg.GPVirtual).As32(), bits)
	l.asm.MOVL(operand.I32(-1), ones)
	l.asm.BZHIL(bits, ones, ones)
	l.asm.KMOVW(ones, mask)
	values := []value{}
	for _, from := range l.from {
		x, load := l.asm.vector(), l.asm.VMOVUPS_Z
		switch {
		case l.widened:
			load = l.asm.VCVTPS2PD_Z
		case l.function.double:
			load = l.asm.VMOVUPD_Z
		}
		load(operand.Mem{Base: from}, mask, x)
		values = append(values, x)
	}
	l.asm.active = mask
	code := lanes{l.asm}
	result := l.narrowed(code.register(l.function.of(code, values)))
	if l.function.double {
		l.asm.VMOVUPD(result, mask, operand.Mem{Base: l.to})
	} else {
		l.asm.VMOVUPS(result, mask, operand.Mem{Base: l.to})
	}
	l.asm.active = nil
	l.advance(l.lanes())
	if vectors := l.vectorsOfBlock(true); vectors > 0 {
		l.asm.JLE(operand.LabelRef("last"))
		l.asm.DECQ(l.left)
		l.asm.JNZ(operand.LabelRef("vector"))
		l.asm.CMPQ(l.rest, operand.I32(vectors*l.lanes()))
		l.asm.JGE(operand.LabelRef("block"))
		l.asm.JMP(operand.LabelRef("vector"))
		l.asm.Label("last")
	} else {
		l.asm.JG(operand.LabelRef("vector"))
	}
	l.asm.XORQ(l.rest, l.rest)
}

// writeBlocks writes the loop for blocks of vectors abreast. Those with an element that needs a Go function are left to the other loop.
func (l *vectorLoop) writeBlocks() {
	var form reg.Register
	if l.asm.wide {
		form = l.asm.Load(l.asm.Param("form"), l.asm.GP64())
	}
	vectors := l.vectorsOfBlock(l.asm.wide)
	count := vectors * l.lanes()
	if !l.asm.wide || !l.function.double {
		l.asm.beyond = toFar
	}
	l.asm.keep(l.keeps, func(c code, x value) value { return l.function.of(c, []value{x, x}) })
	if l.asm.wide {
		l.left, l.patience = l.asm.GP64(), l.asm.GP64()
		l.asm.MOVQ(operand.I32(vectors), l.patience)
	}
	l.asm.CMPQ(l.rest, operand.I32(count))
	l.asm.JLT(operand.LabelRef(toLoop))
	l.asm.Label("block")
	results := l.block(vectors)
	if l.asm.wide {
		l.asm.TESTQ(operand.I32(formStreams), form)
		l.asm.JNZ(operand.LabelRef("past"))
	}
	l.storeBlock(results)
	l.asm.Label("next")
	if l.asm.wide {
		l.asm.MOVQ(operand.I32(vectors), l.patience)
	}
	l.advance(count)
	l.asm.CMPQ(l.rest, operand.I32(count))
	l.asm.JGE(operand.LabelRef("block"))
	if l.asm.wide || l.asm.leftBeyond {
		l.asm.JMP(operand.LabelRef(toLoop))
	}
	if l.asm.wide {
		l.asm.Label("past")
		for i, result := range results {
			l.asm.VMOVNTDQ(l.narrowed(lanes{l.asm}.register(result)), operand.Mem{Base: l.to, Disp: i * l.elementsBytes()})
			l.asm.PREFETCHT1(operand.Mem{Base: l.from[0], Disp: i*l.elementsBytes() + 2*ahead}) // What is in the second cache already would be fetched in vain.
		}
		l.asm.JMP(operand.LabelRef("next"))
	}
	l.asm.beyond = ""
	if l.asm.leftBeyond {
		l.asm.Label(toFar)
		l.storeBlock(l.block(vectors))
		l.asm.JMP(operand.LabelRef("next"))
	}
	l.asm.Label(toLoop)
	if l.asm.wide {
		l.asm.MOVQ(l.patience, l.left)
		l.asm.ADDQ(l.patience, l.patience)
	}
	l.asm.kept = nil
}
