package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pool writes loops over one row of the results of pooling, of float32. In AVX2 they take whole vectors only.
type pool struct{ row }

func writePool(f *file) {
	f.each(false, func(a *assembler) {
		for _, stride := range []int{1, 2} {
			a.begin(fmt.Sprintf("poolFirst%d", stride), "best *float32, index *int32, x *float32, count int, position int32",
				fmt.Sprintf("sets best to elements of x, %d apart, and index to their positions, from position on.", stride))
			pool{row{a}}.tap(stride, true)
			a.begin(fmt.Sprintf("poolNext%d", stride), "best *float32, index *int32, x *float32, count int, position int32",
				fmt.Sprintf("is poolFirst%d where that is greater, or the first NaN.", stride))
			pool{row{a}}.tap(stride, false)
		}
		a.begin("poolPairs", "best *float32, index *int32, x *float32, count, columns, rows int, position, width, rectified int32",
			"sets best to the maxima of windows of two by two elements beside one another, in rows of x that are width",
			"apart, and index to their positions, from position on: of equal ones the first counts, and the first NaN. It does",
			"count of the columns of best. If rectified is not zero, what is not above zero becomes zero, and its position −1.")
		pool{row{a}}.pairsOfRows()
		a.begin("poolSpread", "dst, u *float32, index *int32, count int, position, width int32) (missed uint32",
			"sets two rows of dst, width apart, to 0 + u where index is the position, and to zero elsewhere. Missed",
			"is not zero if an index is not among the four positions that belong to it.")
		pool{row{a}}.spreadPairs()
	})
	f.appendix = "\nfunc init() {\n"
	for _, level := range []string{"AVX2", "AVX512"} {
		for _, stride := range []int{1, 2} {
			f.appendix += fmt.Sprintf("poolAssembly[level%[1]s].first[%[2]d] = poolFirst%[2]d%[1]s\n", level, stride)
			f.appendix += fmt.Sprintf("poolAssembly[level%[1]s].next[%[2]d] = poolNext%[2]d%[1]s\n", level, stride)
		}
		f.appendix += fmt.Sprintf("poolAssembly[level%[1]s].pairs = poolPairs%[1]s\n", level)
		f.appendix += fmt.Sprintf("poolAssembly[level%[1]s].spread = poolSpread%[1]s\n", level)
	}
	f.appendix += "}\n"
}

// tap writes the loop of one place of the window.
func (p pool) tap(stride int, first bool) {
	best, index, x := p.asm.Load(p.asm.Param("best"), p.asm.GP64()), p.asm.Load(p.asm.Param("index"), p.asm.GP64()), p.asm.Load(p.asm.Param("x"), p.asm.GP64())
	position, step := p.positions("position", stride)
	p.vectors("loop", func(count int, mask reg.Register) {
		v := p.strided(x, stride, mask)
		if !first {
			b, i := p.masked(best, mask), p.masked(index, mask)
			v, position := p.greater(v, b, i, position)
			p.keep(v, best, mask)
			p.keep(position, index, mask)
		} else {
			p.keep(v, best, mask)
			p.keep(position, index, mask)
		}
		p.asm.VPADDD(step, position, position)
		p.asm.ADDQ(operand.I32(p.asm.bytes()), best)
		p.asm.ADDQ(operand.I32(p.asm.bytes()), index)
		p.asm.ADDQ(operand.I32(stride*p.asm.bytes()), x)
	})
	p.end()
}

// positions returns those of the elements of a vector, and how far the next vector's are.
func (p pool) positions(name string, stride int) (position, step vector) {
	place, err := p.asm.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	numbers := []uint64{}
	for i := 0; i < 16; i += 2 {
		numbers = append(numbers, uint64((i+1)*stride)<<32|uint64(i*stride))
	}
	position, step = p.asm.vector(), p.asm.vector()
	p.asm.VBROADCASTSS(place.Addr, position)
	table := p.asm.table(fmt.Sprintf("poolPositions%d", stride), numbers...)
	p.asm.VPADDD(table, position, position)
	p.asm.VBROADCASTSS(p.asm.bits(uint64(stride*p.asm.bytes()/4)), step)
	return position, step
}

// vectors writes body for whole vectors, with a nil mask, and in AVX-512 for the rest.
func (p pool) vectors(label string, body func(count int, mask reg.Register)) {
	lanes := p.asm.bytes() / 4
	count := p.asm.Load(p.asm.Param("count"), p.asm.GP64())
	p.asm.SUBQ(operand.I32(lanes), count)
	p.asm.JL(operand.LabelRef("rest"))
	p.asm.Label(label)
	body(lanes, nil)
	p.asm.SUBQ(operand.I32(lanes), count)
	p.asm.JGE(operand.LabelRef(label))
	p.asm.Label("rest")
	if p.asm.wide {
		p.asm.ADDQ(operand.I32(lanes), count)
		p.asm.JZ(operand.LabelRef("done"))
		body(0, p.masksOf(count)[0])
	}
	p.asm.Label("done")
}

// masked loads a vector.
func (p pool) masked(address reg.Register, mask reg.Register) vector {
	if mask == nil {
		return p.asm.load(address, 0)
	}
	v := p.asm.vector()
	p.asm.VMOVUPS_Z(operand.Mem{Base: address}, mask, v)
	return v
}

// keep stores a vector.
func (p pool) keep(v vector, address reg.Register, mask reg.Register) {
	if mask == nil {
		p.asm.store(v, address, 0)
	} else {
		p.asm.VMOVUPS(v, mask, operand.Mem{Base: address})
	}
}

// strided loads every element, or every second one, but nothing behind the last.
func (p pool) strided(x reg.Register, stride int, mask reg.Register) vector {
	if stride == 1 {
		return p.masked(x, mask)
	}
	result := p.asm.vector()
	if !p.asm.wide {
		most := p.asm.table("poolMostAVX2", ^uint64(0), ^uint64(0), ^uint64(0), 0xffffffff)
		mask, second := p.asm.vector(), p.asm.vector()
		p.asm.VMOVDQU(most, mask)
		p.asm.VMASKMOVPS(operand.Mem{Base: x, Disp: 32}, mask, second)
		p.asm.VSHUFPS(operand.U8(0x88), second, p.asm.load(x, 0), result)
		p.asm.VPERMPD(operand.U8(0xD8), result, result)
		return result
	}
	low, high, bits := p.asm.K(), p.asm.K(), p.asm.GP32()
	if mask == nil {
		p.asm.MOVL(operand.U32(0x7fff), bits)
		p.asm.KMOVW(bits, high)
		p.asm.KXNORW(low, low, low)
	} else { // each element but the last takes two places
		p.asm.KMOVW(mask, bits)
		wide := p.asm.GP64()
		p.asm.MOVL(bits, wide.As32())
		p.doubled(wide)
		p.asm.SHRQ(operand.U8(1), wide)
		p.asm.KMOVW(wide.As32(), low)
		p.asm.SHRQ(operand.U8(16), wide)
		p.asm.KMOVW(wide.As32(), high)
	}
	first, second := p.asm.vector(), p.asm.vector()
	p.asm.VMOVUPS_Z(operand.Mem{Base: x}, low, first)
	p.asm.VMOVUPS_Z(operand.Mem{Base: x, Disp: 64}, high, second)
	result = p.evenNumbers(0)
	p.asm.VPERMI2PS(second, first, result)
	return result
}

// doubled turns a number of the form 2ⁿ − 1 into 2²ⁿ − 1.
func (p pool) doubled(bits reg.Register) {
	one := p.asm.GP64()
	p.asm.MOVQ(bits, one)
	p.asm.ADDQ(operand.I32(1), one)
	p.asm.IMULQ(one, one)
	p.asm.DECQ(one)
	p.asm.MOVQ(one, bits)
}

// greater returns v and position where v is greater than best, or NaN where best is not, and best and index elsewhere.
func (p pool) greater(v, best, index, position vector) (newBest, newIndex vector) {
	const ordered, notLessEqual = operand.U8(7), operand.U8(22)
	newBest, newIndex = p.asm.vector(), p.asm.vector()
	if p.asm.wide {
		known, better := p.asm.K(), p.asm.K()
		p.asm.VCMPPS(ordered, best, best, known)
		p.asm.VCMPPS(notLessEqual, best, v, known, better)
		p.asm.VBLENDMPS(v, best, better, newBest)
		p.asm.VPBLENDMD(position, index, better, newIndex)
		return newBest, newIndex
	}
	known, better := p.asm.vector(), p.asm.vector()
	p.asm.VCMPPS(ordered, best, best, known)
	p.asm.VCMPPS(notLessEqual, best, v, better)
	p.asm.VANDPS(known, better, better)
	p.asm.VBLENDVPS(better, v, best, newBest)
	p.asm.VBLENDVPS(better, position, index, newIndex)
	return newBest, newIndex
}

// pairsOfRows writes the loops of poolPairs.
func (p pool) pairsOfRows() {
	row, done := p.asm.Load(p.asm.Param("x"), p.asm.GP64()), p.asm.GP64()
	p.asm.XORQ(done, done)
	position, step := p.positions("position", 2)
	width, all := p.spreadArgument("width"), p.spreadArgument("rectified")
	one, zero := p.asm.spread(p.asm.bits(1)), p.asm.zeros(1, 1)[0][0]
	var any reg.Register
	if p.asm.wide {
		any = p.asm.K()
		p.asm.VPTESTNMD(all, all, any)
	} else {
		p.asm.VPCMPEQD(zero, all, all)
	}
	p.asm.Label("row")
	best, index, x, second := p.asm.Load(p.asm.Param("best"), p.asm.GP64()), p.asm.Load(p.asm.Param("index"), p.asm.GP64()), p.asm.GP64(), p.asm.GP64()
	p.asm.LEAQ(operand.Mem{Base: best, Index: done, Scale: 4}, best)
	p.asm.LEAQ(operand.Mem{Base: index, Index: done, Scale: 4}, index)
	p.asm.MOVQ(row, x)
	place, err := p.asm.Param("width").Resolve()
	if err != nil {
		panic(err)
	}
	p.asm.MOVLQSX(place.Addr, second)
	p.asm.LEAQ(operand.Mem{Base: row, Index: second, Scale: 4}, second)
	at := p.asm.vector()
	p.asm.VMOVAPS(position, at)
	p.vectors("loop", func(count int, mask reg.Register) {
		first, last := p.halves(x, mask)
		third, fourth := p.halves(second, mask)
		value, found := p.greater(last, first, at, p.asm.addIntegers(at, one))
		below := p.asm.addIntegers(at, width)
		value, found = p.greater(third, value, found, below)
		value, found = p.greater(fourth, value, found, p.asm.addIntegers(below, one))
		p.rectify(value, found, zero, all, any)
		p.keep(value, best, mask)
		p.keep(found, index, mask)
		p.asm.VPADDD(step, at, at)
		p.asm.ADDQ(operand.I32(p.asm.bytes()), best)
		p.asm.ADDQ(operand.I32(p.asm.bytes()), index)
		p.asm.ADDQ(operand.I32(2*p.asm.bytes()), x)
		p.asm.ADDQ(operand.I32(2*p.asm.bytes()), second)
	})
	p.asm.MOVLQSX(place.Addr, second)
	p.asm.LEAQ(operand.Mem{Base: row, Index: second, Scale: 8}, row)
	p.asm.VPADDD(width, position, position)
	p.asm.VPADDD(width, position, position)
	columns, err := p.asm.Param("columns").Resolve()
	if err != nil {
		panic(err)
	}
	p.asm.ADDQ(columns.Addr, done)
	rows, err := p.asm.Param("rows").Resolve()
	if err != nil {
		panic(err)
	}
	p.asm.DECQ(rows.Addr)
	p.asm.JNZ(operand.LabelRef("row"))
	p.asm.VZEROUPPER()
	p.asm.RET()
}

// spreadArgument returns an argument of 32 bits for all elements of a vector.
func (p pool) spreadArgument(name string) vector {
	place, err := p.asm.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := p.asm.vector()
	p.asm.VBROADCASTSS(place.Addr, v)
	return v
}

// rectify makes what is not above zero zero, and its position −1, but not where all, or the mask any, is set.
func (p pool) rectify(value, position, zero, all vector, any reg.Register) {
	const notLessEqual, greater = operand.U8(22), operand.U8(30)
	if p.asm.wide {
		kept, above := p.asm.K(), p.asm.K()
		p.asm.VCMPPS(notLessEqual, zero, value, kept)
		p.asm.VCMPPS(greater, zero, value, above)
		p.asm.KORW(any, kept, kept)
		p.asm.KORW(any, above, above)
		p.asm.VMOVAPS_Z(value, kept, value)
		none := p.asm.vector()
		p.asm.VPTERNLOGD(operand.U8(255), none, none, none)
		p.asm.VPBLENDMD(position, none, above, position)
		return
	}
	kept, above := p.asm.vector(), p.asm.vector()
	p.asm.VCMPPS(notLessEqual, zero, value, kept)
	p.asm.VORPS(all, kept, kept)
	p.asm.VANDPS(kept, value, value)
	p.asm.VCMPPS(greater, zero, value, above)
	p.asm.VORPS(all, above, above)
	none := p.asm.vector()
	p.asm.VPCMPEQD(none, none, none)
	p.asm.VPXOR(none, above, above)
	p.asm.VPOR(above, position, position)
}

// secondRow returns the width of a row, for all elements of a vector, and the address of the row behind the one at address.
func (p pool) secondRow(address reg.Register) (width vector, second reg.Register) {
	place, err := p.asm.Param("width").Resolve()
	if err != nil {
		panic(err)
	}
	elements := p.asm.GP64()
	width, second = p.asm.vector(), p.asm.GP64()
	p.asm.VBROADCASTSS(place.Addr, width)
	p.asm.MOVLQSX(place.Addr, elements)
	p.asm.LEAQ(operand.Mem{Base: address, Index: elements, Scale: 4}, second)
	return width, second
}

// halves loads the elements with even and those with odd numbers.
func (p pool) halves(x reg.Register, mask reg.Register) (even, odd vector) {
	if !p.asm.wide {
		low, high := p.asm.load(x, 0), p.asm.load(x, 32)
		even, odd = p.asm.vector(), p.asm.vector()
		p.asm.VSHUFPS(operand.U8(0x88), high, low, even)
		p.asm.VSHUFPS(operand.U8(0xDD), high, low, odd)
		p.asm.VPERMPD(operand.U8(0xD8), even, even)
		p.asm.VPERMPD(operand.U8(0xD8), odd, odd)
		return even, odd
	}
	low, high := p.asm.vector(), p.asm.vector()
	if mask == nil {
		p.asm.VMOVUPS(operand.Mem{Base: x}, low)
		p.asm.VMOVUPS(operand.Mem{Base: x, Disp: 64}, high)
	} else {
		lows, highs := p.doubledMasks(mask)
		p.asm.VMOVUPS_Z(operand.Mem{Base: x}, lows, low)
		p.asm.VMOVUPS_Z(operand.Mem{Base: x, Disp: 64}, highs, high)
	}
	even, odd = p.evenNumbers(0), p.evenNumbers(1)
	p.asm.VPERMI2PS(high, low, even)
	p.asm.VPERMI2PS(high, low, odd)
	return even, odd
}

// evenNumbers returns a vector of every second number from the first on.
func (p pool) evenNumbers(first int) vector {
	result, numbers := p.asm.vector(), []uint64{}
	for i := 0; i < 16; i += 2 {
		numbers = append(numbers, uint64(2*i+2+first)<<32|uint64(2*i+first))
	}
	p.asm.VMOVDQU32(p.asm.table([]string{"poolEven", "poolOdd"}[first], numbers...), result)
	return result
}

// doubledMasks returns the masks of two vectors whose elements are, two by two, those of mask.
func (p pool) doubledMasks(mask reg.Register) (low, high reg.Register) {
	bits := p.asm.GP64()
	low, high = p.asm.K(), p.asm.K()
	p.asm.KMOVW(mask, bits.As32())
	p.doubled(bits)
	p.asm.KMOVW(bits.As32(), low)
	p.asm.SHRQ(operand.U8(16), bits)
	p.asm.KMOVW(bits.As32(), high)
	return low, high
}

// spreadPairs writes the loop of poolSpread.
func (p pool) spreadPairs() {
	dst, u, index := p.asm.Load(p.asm.Param("dst"), p.asm.GP64()), p.asm.Load(p.asm.Param("u"), p.asm.GP64()), p.asm.Load(p.asm.Param("index"), p.asm.GP64())
	position, step := p.positions("position", 2)
	width, second := p.secondRow(dst)
	one, zero := p.asm.spread(p.asm.bits(1)), p.asm.zeros(1, 1)[0][0]
	missed := p.asm.GP32()
	p.asm.XORL(missed, missed)
	p.vectors("loop", func(count int, mask reg.Register) {
		up, at := p.masked(u, mask), p.masked(index, mask)
		p.asm.VADDPS(zero, up, up) // the sum of zeros is 0, not −0
		rows := []vector{position, p.asm.addIntegers(position, width)}
		found := []reg.Register{}
		for i, to := range []reg.Register{dst, second} {
			left, k := p.chosen(up, at, rows[i])
			right, l := p.chosen(up, at, p.asm.addIntegers(rows[i], one))
			found = append(found, k, l)
			p.interleaved(left, right, to, mask)
			p.asm.ADDQ(operand.I32(2*p.asm.bytes()), to)
		}
		p.miss(found, mask, missed)
		p.asm.VPADDD(step, position, position)
		p.asm.ADDQ(operand.I32(p.asm.bytes()), u)
		p.asm.ADDQ(operand.I32(p.asm.bytes()), index)
	})
	p.asm.VZEROUPPER()
	p.asm.Store(missed, p.asm.ReturnIndex(0))
	p.asm.RET()
}

// chosen returns v where the index is the position, and zero elsewhere, and a mask of that.
func (p pool) chosen(v, index, position vector) (vector, reg.Register) {
	result := p.asm.vector()
	if p.asm.wide {
		k := p.asm.K()
		p.asm.VPCMPEQD(position, index, k)
		p.asm.VMOVAPS_Z(v, k, result)
		return result, k
	}
	equal := p.asm.vector()
	p.asm.VPCMPEQD(position, index, equal)
	p.asm.VANDPS(v, equal, result)
	return result, equal
}

// miss notes lanes that were found nowhere.
func (p pool) miss(found []reg.Register, mask reg.Register, missed reg.Register) {
	bits := p.asm.GP32()
	if p.asm.wide {
		all := p.asm.K()
		p.asm.KORW(found[0], found[1], all)
		p.asm.KORW(found[2], all, all)
		p.asm.KORW(found[3], all, all)
		if mask == nil {
			p.asm.KNOTW(all, all)
		} else {
			p.asm.KANDNW(mask, all, all)
		}
		p.asm.KMOVW(all, bits)
	} else {
		all := p.asm.vector()
		p.asm.VPOR(found[0], found[1], all)
		p.asm.VPOR(found[2], all, all)
		p.asm.VPOR(found[3], all, all)
		p.asm.VMOVMSKPS(all, bits)
		p.asm.XORL(operand.U32(0xff), bits)
	}
	p.asm.ORL(bits, missed)
}

// interleaved stores the elements of left and right in turn.
func (p pool) interleaved(left, right vector, to reg.Register, mask reg.Register) {
	low, high := p.asm.vector(), p.asm.vector()
	if !p.asm.wide {
		a, b := p.asm.vector(), p.asm.vector()
		p.asm.VUNPCKLPS(right, left, a)
		p.asm.VUNPCKHPS(right, left, b)
		p.asm.VPERM2F128(operand.U8(0x20), b, a, low)
		p.asm.VPERM2F128(operand.U8(0x31), b, a, high)
		p.asm.store(low, to, 0)
		p.asm.store(high, to, 32)
		return
	}
	for half, result := range []vector{low, high} {
		numbers := []uint64{}
		for i := 0; i < 16; i += 2 {
			from := 8*half + i/2
			numbers = append(numbers, uint64(16+from)<<32|uint64(from))
		}
		p.asm.VMOVDQU32(p.asm.table(fmt.Sprintf("poolTurns%d", half), numbers...), result)
		p.asm.VPERMI2PS(right, left, result)
	}
	if mask == nil {
		p.asm.store(low, to, 0)
		p.asm.store(high, to, 64)
		return
	}
	k, l := p.doubledMasks(mask)
	p.asm.VMOVUPS(low, k, operand.Mem{Base: to})
	p.asm.VMOVUPS(high, l, operand.Mem{Base: to, Disp: 64})
}
