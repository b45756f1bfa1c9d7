package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeLines writes the kernels of package gemm for products of integers and vectors. Memory is slower than AVX2: wider
// vectors are no quicker.
func writeLines(f *file) {
	for _, size := range []int{1, 2, 4, 8} {
		(&assembler{Context: f.context, file: f}).integerLine(size)
	}
	for _, size := range []int{1, 2} {
		(&assembler{Context: f.context, file: f}).integerRows(size)
	}
}

// lineSums are the sums of a dot product of integers: the products of the highest half of one factor and the lowest of
// the other of int64 are apart.
type lineSums struct{ low, cross vector }

// integerLine writes the dot product of integers of so many bytes.
func (a *assembler) integerLine(size int) {
	const together = 4 // vectors, each with sums of its own
	a.begin(fmt.Sprintf("int%dLine", 8*size), "x, y *byte, count int) (sum int64", "returns the sum of the products of count integers; see integerLine.")
	x, y, count := a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("y"), a.GP64()), a.Load(a.Param("count"), a.GP64())
	elements := max(a.bytes()/max(size, 2), 1)
	var sums [together]lineSums
	for i := range sums {
		sums[i].low = a.zeroed()
		if size == 8 {
			sums[i].cross = a.zeroed()
		}
	}
	loop := func(name string, vectors int) {
		a.Label(name)
		a.CMPQ(count, operand.I32(vectors*elements))
		a.JLT(operand.LabelRef("after" + name))
		for i := range vectors {
			at := i * elements * size
			a.addLineProducts(size, operand.Mem{Base: x, Disp: at}, operand.Mem{Base: y, Disp: at}, sums[i])
		}
		a.ADDQ(operand.I32(vectors*elements*size), x)
		a.ADDQ(operand.I32(vectors*elements*size), y)
		a.SUBQ(operand.I32(vectors*elements), count)
		a.JMP(operand.LabelRef(name))
		a.Label("after" + name)
	}
	loop("several", together)
	loop("one", 1)
	for half := together / 2; half > 0; half /= 2 {
		for i := range half {
			a.of(a.VPADDD, a.VPADDQ)(sums[i+half].low, sums[i].low, sums[i].low)
			if size == 8 {
				a.VPADDD(sums[i+half].cross, sums[i].cross, sums[i].cross)
			}
		}
	}
	total := a.GP64()
	if size < 8 {
		a.MOVL(a.totalOfWords(sums[0].low), total.As32())
	} else {
		a.MOVL(a.totalOfWords(sums[0].cross), total.As32())
		a.SHLQ(operand.U8(32), total)
		a.ADDQ(a.totalOfLongs(sums[0].low), total)
	}
	a.restOfLine(size, x, y, count, total)
	a.Store(total, a.ReturnIndex(0))
	a.VZEROUPPER()
	a.RET()
}

// zeroed returns a vector of zeros.
func (a *assembler) zeroed() vector {
	v := a.vector()
	a.VPXOR(v, v, v)
	return v
}

// addLineProducts adds the products of a vector of words of each operand, of pairs of int16.
func (a *assembler) addLineProducts(size int, x, y operand.Mem, to lineSums) {
	v, w := a.vector(), a.vector()
	switch size {
	case 1:
		a.VPMOVSXBW(x, v)
		a.VPMOVSXBW(y, w)
		a.VPMADDWD(w, v, v)
	case 2:
		a.VMOVDQU(x, v)
		a.VPMADDWD(y, v, v)
	case 4:
		a.VMOVDQU(x, v)
		a.VPMULLD(y, v, v)
	case 8:
		a.double = true
		a.VMOVDQU(x, v)
		a.VMOVDQU(y, w)
		exchanged := a.vector()
		a.VPSHUFD(operand.U8(0xB1), w, exchanged)
		a.VPMULLD(exchanged, v, exchanged)
		a.VPADDD(exchanged, to.cross, to.cross)
		a.VPMULUDQ(w, v, v)
	}
	a.of(a.VPADDD, a.VPADDQ)(v, to.low, to.low)
}

// totalOfWords returns the sum of the 32-bit integers of a vector, and totalOfLongs that of the 64-bit ones.
func (a *assembler) totalOfWords(v vector) reg.Register {
	half := a.addHalves(v, a.VPADDD)
	for _, order := range []operand.U8{0x4E, 0xB1} {
		other := a.XMM()
		a.VPSHUFD(order, half, other)
		a.VPADDD(other, half, half)
	}
	total := a.GP32()
	a.VMOVD(half, total)
	return total
}

func (a *assembler) totalOfLongs(v vector) reg.Register {
	half, other, total := a.addHalves(v, a.VPADDQ), a.XMM(), a.GP64()
	a.VPSHUFD(operand.U8(0x4E), half, other)
	a.VPADDQ(other, half, half)
	a.VMOVQ(half, total)
	return total
}

// addHalves returns the sum of the halves of a vector.
func (a *assembler) addHalves(v vector, add instruction) vector {
	half := a.XMM()
	a.VEXTRACTI128(operand.U8(1), v, half)
	add(v.AsX(), half, half)
	return half
}

// restOfLine adds the products of the elements that are no vector one by one.
func (a *assembler) restOfLine(size int, x, y, count, total reg.Register) {
	load := map[int]func(from, to operand.Op){1: a.MOVBQSX, 2: a.MOVWQSX, 4: a.MOVLQSX, 8: a.MOVQ}[size]
	a.Label("rest")
	a.TESTQ(count, count)
	a.JZ(operand.LabelRef("done"))
	v, w := a.GP64(), a.GP64()
	load(operand.Mem{Base: x}, v)
	load(operand.Mem{Base: y}, w)
	a.IMULQ(w, v)
	a.ADDQ(v, total)
	a.ADDQ(operand.U8(size), x)
	a.ADDQ(operand.U8(size), y)
	a.DECQ(count)
	a.JMP(operand.LabelRef("rest"))
	a.Label("done")
}
