package main

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// loop is an element-wise loop: what it computes of one vector of each operand.
type loop struct {
	operator string
	dtypes   []string // of the kernels that it serves, as in their names
	others   []string // kernels of other operators that do the same to the same bits, by their names
	sizes    []int    // bytes of an element of the result and of each operand
	ofPairs  bool     // whether the operand is pairs, of which two vectors make one of results, in many steps: then they are no operands
	narrow   steps    // for AVX2; nil where there is none
	wide     steps    // for AVX-512
}

// steps writes what is computed before the loop, and returns what writes the computation of one vector. The operands are in
// memory, which instructions may read without any alignment.
type steps func(a *assembler) func(in []operand.Mem) reg.Register

// The bits of the parameter form: operand i is one element for all, and the result is written past the caches. The tables of
// package cpu know them too.
const formStreams = 8

// name is that of the function, without the suffix for the instruction set.
func (l loop) name() string {
	name := ""
	for _, word := range strings.FieldsFunc(l.operator+"/"+l.dtypes[0], func(r rune) bool { return r == '_' || r == '/' }) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return "loop" + name
}

// elements is how many are computed at a time of vectors of so many bytes.
func (l loop) elements(bytes int) int {
	if l.ofPairs {
		return bytes / l.sizes[0]
	}
	return bytes / slices.Max(l.sizes)
}

// kernels returns the names of all kernels that the loop serves.
func (l loop) kernels() (names []string) {
	for _, d := range l.dtypes {
		names = append(names, l.operator+"/"+d)
	}
	return append(names, l.others...)
}

// also adds element types whose values have the same bits.
func (l loop) also(names ...string) loop {
	l.dtypes = append(l.dtypes, names...)
	return l
}

// serves adds kernels of other operators.
func (l loop) serves(kernels ...string) loop {
	l.others = append(l.others, kernels...)
	return l
}

// writeLoops writes the loops and a table of them.
func writeLoops(loops []loop) func(*file) {
	return func(f *file) {
		var table strings.Builder
		table.WriteString("\nfunc init() {\n")
		for _, l := range loops {
			variants := [2]string{"nil", "nil"}
			for i, body := range []steps{l.narrow, l.wide} {
				if body != nil {
					a := &assembler{Context: f.context, file: f, wide: i == 1, double: slices.Max(l.sizes) == 8}
					l.write(a, body)
					variants[i] = l.name() + a.suffix()
				}
			}
			for _, kernel := range l.kernels() {
				fmt.Fprintf(&table, "assemblyLoops[%q] = loopVariants{%s, %s}\n", kernel, variants[0], variants[1])
			}
		}
		f.appendix = table.String() + "}\n"
	}
}

// loopWriter is what a loop has in registers.
type loopWriter struct {
	loop
	asm            *assembler
	vectorElements int
	compute        func(in []operand.Mem) reg.Register
	addresses      []reg.GPVirtual // of the result and the operands
	increments     []reg.GPVirtual // bytes from one vector of an operand to the next; none for the result
	last           []reg.GPVirtual // of the last vector of each
	count, form    reg.Register
}

var loopOperands = []string{"dst", "x", "y", "z"}

// write writes the loop.
func (l loop) write(a *assembler, body steps) {
	w := &loopWriter{loop: l, asm: a, vectorElements: l.elements(a.bytes())}
	a.begin(l.name(), strings.Join(loopOperands, ", ")+" *byte, count, form, rows int, steps [4]int", "computes rows of count elements, at least a vector; see assembledLoop.")
	a.Label("row")
	w.loadParameters()
	if w.compute = body(a); l.ofPairs {
		w.rowOnce()
	} else {
		w.row()
	}
	rows, step := place(a.Param("rows")), a.GP64()
	a.DECQ(rows)
	a.JZ(operand.LabelRef("end"))
	for i := range l.sizes {
		a.MOVQ(place(a.Param("steps").Index(i)), step)
		a.ADDQ(step, place(a.Param(loopOperands[i])))
	}
	a.JMP(operand.LabelRef("row"))
	a.Label("end")
	a.VZEROUPPER()
	a.RET()
}

// loadParameters loads the parameters of a row. An operand that is one element for all of it is spread to a vector in memory.
func (w *loopWriter) loadParameters() {
	a := w.asm
	w.increments = []reg.GPVirtual{nil}
	for i := range w.sizes {
		w.addresses = append(w.addresses, a.GP64())
		a.Load(a.Param(loopOperands[i]), w.addresses[i])
	}
	w.count, w.form = a.Load(a.Param("count"), a.GP64()), a.Load(a.Param("form"), a.GP64())
	buffers := a.GP64()
	room := 64 // to be aligned
	for _, size := range w.sizes[1:] {
		room += max(64, size*w.vectorElements)
	}
	a.LEAQ(a.AllocLocal(room), buffers)
	a.ADDQ(operand.I8(63), buffers)
	a.ANDQ(operand.I8(-64), buffers)
	for i, size := range w.sizes[1:] {
		w.increments = append(w.increments, a.spreadOperand(i, size, w.vectorElements, w.addresses[i+1], w.form, buffers))
	}
}

// row writes the loops over a row. The elements behind the last whole vector are computed first, as the last of a vector of their own,
// and stored in the end: so the result may be an operand.
func (w *loopWriter) row() {
	a, width := w.asm, w.vectorElements*w.sizes[0]
	rest, tail := w.computeTail(width)
	a.SHRQ(operand.U8(bits.Len(uint(w.vectorElements))-1), w.count)
	if width >= 32 {
		a.TESTQ(operand.I32(formStreams), w.form)
		a.JNZ(operand.LabelRef("stream"))
	}
	w.iterate("loop", width, func(x reg.Register) { a.put(x, operand.Mem{Base: w.addresses[0]}, width) })
	if width >= 32 {
		a.JMP(operand.LabelRef("last"))
		w.iterate("stream", width, func(x reg.Register) { a.VMOVNTDQ(x, operand.Mem{Base: w.addresses[0]}) })
		a.Label("last")
	}
	a.TESTQ(rest, rest)
	a.JZ(operand.LabelRef("done"))
	a.put(tail, operand.Mem{Base: w.last[0]}, width)
	a.Label("done")
}

// computeTail computes the last vector of a row if its elements are no whole vectors, and returns how many there are then, and the vector.
func (w *loopWriter) computeTail(width int) (rest reg.GPVirtual, tail vector) {
	a := w.asm
	rest, offset := a.GP64(), a.GP64()
	w.last = make([]reg.GPVirtual, len(w.sizes))
	a.MOVQ(w.count, rest)
	a.ANDQ(operand.I8(int8(w.vectorElements-1)), rest)
	a.JZ(operand.LabelRef("whole"))
	a.LEAQ(operand.Mem{Base: w.count, Disp: -w.vectorElements}, offset)
	in := []operand.Mem{}
	for i, size := range w.sizes {
		w.last[i] = a.GP64()
		a.LEAQ(operand.Mem{Base: w.addresses[i], Index: offset, Scale: uint8(min(size, 8))}, w.last[i])
		if size == 16 {
			a.LEAQ(operand.Mem{Base: w.last[i], Index: offset, Scale: 8}, w.last[i])
		}
		if i > 0 {
			a.TESTQ(w.increments[i], w.increments[i])
			a.CMOVQEQ(w.addresses[i], w.last[i])
			in = append(in, operand.Mem{Base: w.last[i]})
		}
	}
	tail = a.registerOf(width)
	a.move(w.compute(in), tail, width)
	a.Label("whole")
	return rest, tail
}

// iterate writes the loop over whole vectors, whose results store writes.
func (w *loopWriter) iterate(label string, width int, store func(reg.Register)) {
	a := w.asm
	a.Label(label)
	in := []operand.Mem{}
	for _, address := range w.addresses[1:] {
		in = append(in, operand.Mem{Base: address})
	}
	store(w.compute(in))
	a.ADDQ(operand.I32(width), w.addresses[0])
	for i, address := range w.addresses[1:] {
		a.ADDQ(w.increments[i+1], address)
	}
	a.DECQ(w.count)
	a.JNZ(operand.LabelRef(label))
}

// rowOnce writes the loop over a row with the steps once: the elements behind the last whole vector are computed with some before them
// again.
func (w *loopWriter) rowOnce() {
	a, elements, width := w.asm, w.vectorElements, w.asm.bytes()
	to, from := operand.Mem{Base: w.addresses[0]}, operand.Mem{Base: w.addresses[1]}
	rest, back := a.GP64(), a.GP64()
	a.MOVQ(w.count, rest)
	a.ANDQ(operand.I8(elements-1), rest)
	a.SHRQ(operand.U8(bits.Len(uint(elements))-1), w.count)
	a.Label("loop")
	result := w.compute([]operand.Mem{from})
	a.TESTQ(operand.I32(formStreams), w.form)
	a.JNZ(operand.LabelRef("stream"))
	a.put(result, to, width)
	a.JMP(operand.LabelRef("next"))
	a.Label("stream")
	a.VMOVNTDQ(result, to)
	a.Label("next")
	a.ADDQ(operand.I32(width), w.addresses[0])
	a.ADDQ(w.increments[1], w.addresses[1])
	a.DECQ(w.count)
	a.JNZ(operand.LabelRef("loop"))
	a.TESTQ(rest, rest)
	a.JZ(operand.LabelRef("done"))
	a.SUBQ(operand.I8(elements), rest)
	a.LEAQ(operand.Mem{Base: w.addresses[0], Index: rest, Scale: uint8(w.sizes[0])}, w.addresses[0])
	a.IMUL3Q(operand.I8(w.sizes[1]), rest, back)
	a.ADDQ(w.addresses[1], back)
	a.TESTQ(w.increments[1], w.increments[1])
	a.CMOVQNE(back, w.addresses[1])
	a.XORQ(rest, rest)
	a.XORQ(w.form, w.form)
	a.MOVQ(operand.I32(1), w.count)
	a.JMP(operand.LabelRef("loop"))
	a.Label("done")
}

// place returns where a parameter lies.
func place(parameter gotypes.Component) operand.Mem {
	basic, err := parameter.Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// spreadOperand makes operand i, if it is one element for all, a vector of that element in memory. It returns what is added to
// its address behind each vector.
func (a *assembler) spreadOperand(i, size, elements int, address, form, buffers reg.Register) reg.GPVirtual {
	increment := a.GP64()
	a.MOVQ(operand.I32(size*elements), increment)
	next := fmt.Sprintf("operand%d", i+1)
	a.TESTQ(operand.I32(1<<i), form)
	a.JZ(operand.LabelRef(next))
	spread := map[int]instruction{1: a.VPBROADCASTB, 2: a.VPBROADCASTW, 4: a.VPBROADCASTD, 8: a.VPBROADCASTQ, 16: ofTwo(a.VBROADCASTI128)}[size]
	if size == 16 && a.wide {
		spread = a.VBROADCASTI64X2
	}
	v := a.vector()
	spread(operand.Mem{Base: address}, v)
	for part := 0; part < size*elements; part += a.bytes() {
		a.store(v, buffers, 64*i+part)
	}
	a.LEAQ(operand.Mem{Base: buffers, Disp: 64 * i}, address)
	a.XORQ(increment, increment)
	a.Label(next)
	return increment
}

// registerOf returns a register of so many bytes, or the smallest vector.
func (a *assembler) registerOf(width int) vector {
	switch width {
	case 64:
		return a.ZMM()
	case 32:
		return a.YMM()
	}
	return a.XMM()
}

// move copies a register of so many bytes.
func (a *assembler) move(x reg.Register, to vector, width int) {
	if width == 64 {
		a.VMOVDQA64(x, to)
	} else {
		a.VMOVDQA(x, to)
	}
}

// put stores the lowest width bytes of x.
func (a *assembler) put(x reg.Register, to operand.Mem, width int) {
	switch width {
	case 64:
		a.VMOVDQU32(x, to)
	case 4:
		a.VMOVD(x, to)
	case 8:
		a.VMOVQ(x, to)
	default:
		a.VMOVDQU(x, to)
	}
}
