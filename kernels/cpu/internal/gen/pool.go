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
	best, index, x := p.Load(p.Param("best"), p.GP64()), p.Load(p.Param("index"), p.GP64()), p.Load(p.Param("x"), p.GP64())
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
		p.VPADDD(step, position, position)
		p.ADDQ(operand.I32(p.bytes()), best)
		p.ADDQ(operand.I32(p.bytes()), index)
		p.ADDQ(operand.I32(stride*p.bytes()), x)
	})
	p.end()
}

// positions returns those of the elements of a vector, and how far the next vector's are.
func (p pool) positions(name string, stride int) (position, step vector) {
	place, err := p.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	numbers := []uint64{}
	for i := 0; i < 16; i += 2 {
		numbers = append(numbers, uint64((i+1)*stride)<<32|uint64(i*stride))
	}
	position, step = p.vector(), p.vector()
	p.VBROADCASTSS(place.Addr, position)
	table := p.table(fmt.Sprintf("poolPositions%d", stride), numbers...)
	p.VPADDD(table, position, position)
	p.VBROADCASTSS(p.assembler.bits(uint64(stride*p.bytes()/4)), step)
	return position, step
}

// vectors writes body for whole vectors, with a nil mask, and in AVX-512 for the rest.
func (p pool) vectors(label string, body func(count int, mask reg.Register)) {
	lanes := p.bytes() / 4
	count := p.Load(p.Param("count"), p.GP64())
	p.SUBQ(operand.I32(lanes), count)
	p.JL(operand.LabelRef("rest"))
	p.Label(label)
	body(lanes, nil)
	p.SUBQ(operand.I32(lanes), count)
	p.JGE(operand.LabelRef(label))
	p.Label("rest")
	if p.wide {
		p.ADDQ(operand.I32(lanes), count)
		p.JZ(operand.LabelRef("done"))
		body(0, p.masksOf(count)[0])
	}
	p.Label("done")
}

// masked loads a vector.
func (p pool) masked(address reg.Register, mask reg.Register) vector {
	if mask == nil {
		return p.load(address, 0)
	}
	v := p.vector()
	p.VMOVUPS_Z(operand.Mem{Base: address}, mask, v)
	return v
}

// keep stores a vector.
func (p pool) keep(v vector, address reg.Register, mask reg.Register) {
	if mask == nil {
		p.store(v, address, 0)
	} else {
		p.VMOVUPS(v, mask, operand.Mem{Base: address})
	}
}

// strided loads every element, or every second one, but nothing behind the last.
func (p pool) strided(x reg.Register, stride int, mask reg.Register) vector {
	if stride == 1 {
		return p.masked(x, mask)
	}
	result := p.vector()
	if !p.wide {
		most := p.table("poolMostAVX2", ^uint64(0), ^uint64(0), ^uint64(0), 0xffffffff)
		mask, second := p.vector(), p.vector()
		p.VMOVDQU(most, mask)
		p.VMASKMOVPS(operand.Mem{Base: x, Disp: 32}, mask, second)
		p.VSHUFPS(operand.U8(0x88), second, p.load(x, 0), result)
		p.VPERMPD(operand.U8(0xD8), result, result)
		return result
	}
	low, high, bits := p.K(), p.K(), p.GP32()
	if mask == nil {
		p.MOVL(operand.U32(0x7fff), bits)
		p.KMOVW(bits, high)
		p.KXNORW(low, low, low)
	} else { // each element but the last takes two places
		p.KMOVW(mask, bits)
		wide := p.GP64()
		p.MOVL(bits, wide.As32())
		p.doubled(wide)
		p.SHRQ(operand.U8(1), wide)
		p.KMOVW(wide.As32(), low)
		p.SHRQ(operand.U8(16), wide)
		p.KMOVW(wide.As32(), high)
	}
	first, second := p.vector(), p.vector()
	p.VMOVUPS_Z(operand.Mem{Base: x}, low, first)
	p.VMOVUPS_Z(operand.Mem{Base: x, Disp: 64}, high, second)
	result = p.evenNumbers(0)
	p.VPERMI2PS(second, first, result)
	return result
}

// doubled turns a number of the form 2ⁿ − 1 into 2²ⁿ − 1.
func (p pool) doubled(bits reg.Register) {
	one := p.GP64()
	p.MOVQ(bits, one)
	p.ADDQ(operand.I32(1), one)
	p.IMULQ(one, one)
	p.DECQ(one)
	p.MOVQ(one, bits)
}

// greater returns v and position where v is greater than best, or NaN where best is not, and best and index elsewhere.
func (p pool) greater(v, best, index, position vector) (newBest, newIndex vector) {
	const ordered, notLessEqual = operand.U8(7), operand.U8(22)
	newBest, newIndex = p.vector(), p.vector()
	if p.wide {
		known, better := p.K(), p.K()
		p.VCMPPS(ordered, best, best, known)
		p.VCMPPS(notLessEqual, best, v, known, better)
		p.VBLENDMPS(v, best, better, newBest)
		p.VPBLENDMD(position, index, better, newIndex)
		return newBest, newIndex
	}
	known, better := p.vector(), p.vector()
	p.VCMPPS(ordered, best, best, known)
	p.VCMPPS(notLessEqual, best, v, better)
	p.VANDPS(known, better, better)
	p.VBLENDVPS(better, v, best, newBest)
	p.VBLENDVPS(better, position, index, newIndex)
	return newBest, newIndex
}

// pairsOfRows writes the loops of poolPairs.
func (p pool) pairsOfRows() {
	row, done := p.Load(p.Param("x"), p.GP64()), p.GP64()
	p.XORQ(done, done)
	position, step := p.positions("position", 2)
	width, all := p.spreadArgument("width"), p.spreadArgument("rectified")
	one, zero := p.spread(p.assembler.bits(1)), p.zeros(1, 1)[0][0]
	var any reg.Register
	if p.wide {
		any = p.K()
		p.VPTESTNMD(all, all, any)
	} else {
		p.VPCMPEQD(zero, all, all)
	}
	p.Label("row")
	best, index, x, second := p.Load(p.Param("best"), p.GP64()), p.Load(p.Param("index"), p.GP64()), p.GP64(), p.GP64()
	p.LEAQ(operand.Mem{Base: best, Index: done, Scale: 4}, best)
	p.LEAQ(operand.Mem{Base: index, Index: done, Scale: 4}, index)
	p.MOVQ(row, x)
	place, err := p.Param("width").Resolve()
	if err != nil {
		panic(err)
	}
	p.MOVLQSX(place.Addr, second)
	p.LEAQ(operand.Mem{Base: row, Index: second, Scale: 4}, second)
	at := p.vector()
	p.VMOVAPS(position, at)
	p.vectors("loop", func(count int, mask reg.Register) {
		first, last := p.halves(x, mask)
		third, fourth := p.halves(second, mask)
		value, found := p.greater(last, first, at, p.addIntegers(at, one))
		below := p.addIntegers(at, width)
		value, found = p.greater(third, value, found, below)
		value, found = p.greater(fourth, value, found, p.addIntegers(below, one))
		p.rectify(value, found, zero, all, any)
		p.keep(value, best, mask)
		p.keep(found, index, mask)
		p.VPADDD(step, at, at)
		p.ADDQ(operand.I32(p.bytes()), best)
		p.ADDQ(operand.I32(p.bytes()), index)
		p.ADDQ(operand.I32(2*p.bytes()), x)
		p.ADDQ(operand.I32(2*p.bytes()), second)
	})
	p.MOVLQSX(place.Addr, second)
	p.LEAQ(operand.Mem{Base: row, Index: second, Scale: 8}, row)
	p.VPADDD(width, position, position)
	p.VPADDD(width, position, position)
	columns, err := p.Param("columns").Resolve()
	if err != nil {
		panic(err)
	}
	p.ADDQ(columns.Addr, done)
	rows, err := p.Param("rows").Resolve()
	if err != nil {
		panic(err)
	}
	p.DECQ(rows.Addr)
	p.JNZ(operand.LabelRef("row"))
	p.VZEROUPPER()
	p.RET()
}

// spreadArgument returns an argument of 32 bits for all elements of a vector.
func (p pool) spreadArgument(name string) vector {
	place, err := p.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := p.vector()
	p.VBROADCASTSS(place.Addr, v)
	return v
}

// rectify makes what is not above zero zero, and its position −1, but not where all, or the mask any, is set.
func (p pool) rectify(value, position, zero, all vector, any reg.Register) {
	const notLessEqual, greater = operand.U8(22), operand.U8(30)
	if p.wide {
		kept, above := p.K(), p.K()
		p.VCMPPS(notLessEqual, zero, value, kept)
		p.VCMPPS(greater, zero, value, above)
		p.KORW(any, kept, kept)
		p.KORW(any, above, above)
		p.VMOVAPS_Z(value, kept, value)
		none := p.vector()
		p.VPTERNLOGD(operand.U8(255), none, none, none)
		p.VPBLENDMD(position, none, above, position)
		return
	}
	kept, above := p.vector(), p.vector()
	p.VCMPPS(notLessEqual, zero, value, kept)
	p.VORPS(all, kept, kept)
	p.VANDPS(kept, value, value)
	p.VCMPPS(greater, zero, value, above)
	p.VORPS(all, above, above)
	none := p.vector()
	p.VPCMPEQD(none, none, none)
	p.VPXOR(none, above, above)
	p.VPOR(above, position, position)
}

// secondRow returns the width of a row, for all elements of a vector, and the address of the row behind the one at address.
func (p pool) secondRow(address reg.Register) (width vector, second reg.Register) {
	place, err := p.Param("width").Resolve()
	if err != nil {
		panic(err)
	}
	elements := p.GP64()
	width, second = p.vector(), p.GP64()
	p.VBROADCASTSS(place.Addr, width)
	p.MOVLQSX(place.Addr, elements)
	p.LEAQ(operand.Mem{Base: address, Index: elements, Scale: 4}, second)
	return width, second
}

// halves loads the elements with even and those with odd numbers.
func (p pool) halves(x reg.Register, mask reg.Register) (even, odd vector) {
	if !p.wide {
		low, high := p.load(x, 0), p.load(x, 32)
		even, odd = p.vector(), p.vector()
		p.VSHUFPS(operand.U8(0x88), high, low, even)
		p.VSHUFPS(operand.U8(0xDD), high, low, odd)
		p.VPERMPD(operand.U8(0xD8), even, even)
		p.VPERMPD(operand.U8(0xD8), odd, odd)
		return even, odd
	}
	low, high := p.vector(), p.vector()
	if mask == nil {
		p.VMOVUPS(operand.Mem{Base: x}, low)
		p.VMOVUPS(operand.Mem{Base: x, Disp: 64}, high)
	} else {
		lows, highs := p.doubledMasks(mask)
		p.VMOVUPS_Z(operand.Mem{Base: x}, lows, low)
		p.VMOVUPS_Z(operand.Mem{Base: x, Disp: 64}, highs, high)
	}
	even, odd = p.evenNumbers(0), p.evenNumbers(1)
	p.VPERMI2PS(high, low, even)
	p.VPERMI2PS(high, low, odd)
	return even, odd
}

// evenNumbers returns a vector of every second number from the first on.
func (p pool) evenNumbers(first int) vector {
	result, numbers := p.vector(), []uint64{}
	for i := 0; i < 16; i += 2 {
		numbers = append(numbers, uint64(2*i+2+first)<<32|uint64(2*i+first))
	}
	p.VMOVDQU32(p.table([]string{"poolEven", "poolOdd"}[first], numbers...), result)
	return result
}

// doubledMasks returns the masks of two vectors whose elements are, two by two, those of mask.
func (p pool) doubledMasks(mask reg.Register) (low, high reg.Register) {
	bits := p.GP64()
	low, high = p.K(), p.K()
	p.KMOVW(mask, bits.As32())
	p.doubled(bits)
	p.KMOVW(bits.As32(), low)
	p.SHRQ(operand.U8(16), bits)
	p.KMOVW(bits.As32(), high)
	return low, high
}

// spreadPairs writes the loop of poolSpread.
func (p pool) spreadPairs() {
	dst, u, index := p.Load(p.Param("dst"), p.GP64()), p.Load(p.Param("u"), p.GP64()), p.Load(p.Param("index"), p.GP64())
	position, step := p.positions("position", 2)
	width, second := p.secondRow(dst)
	one, zero := p.spread(p.assembler.bits(1)), p.zeros(1, 1)[0][0]
	missed := p.GP32()
	p.XORL(missed, missed)
	p.vectors("loop", func(count int, mask reg.Register) {
		up, at := p.masked(u, mask), p.masked(index, mask)
		p.VADDPS(zero, up, up) // the sum of zeros is 0, not −0
		rows := []vector{position, p.addIntegers(position, width)}
		found := []reg.Register{}
		for i, to := range []reg.Register{dst, second} {
			left, k := p.chosen(up, at, rows[i])
			right, l := p.chosen(up, at, p.addIntegers(rows[i], one))
			found = append(found, k, l)
			p.interleaved(left, right, to, mask)
			p.ADDQ(operand.I32(2*p.bytes()), to)
		}
		p.miss(found, mask, missed)
		p.VPADDD(step, position, position)
		p.ADDQ(operand.I32(p.bytes()), u)
		p.ADDQ(operand.I32(p.bytes()), index)
	})
	p.VZEROUPPER()
	p.Store(missed, p.ReturnIndex(0))
	p.RET()
}

// chosen returns v where the index is the position, and zero elsewhere, and a mask of that.
func (p pool) chosen(v, index, position vector) (vector, reg.Register) {
	result := p.vector()
	if p.wide {
		k := p.K()
		p.VPCMPEQD(position, index, k)
		p.VMOVAPS_Z(v, k, result)
		return result, k
	}
	equal := p.vector()
	p.VPCMPEQD(position, index, equal)
	p.VANDPS(v, equal, result)
	return result, equal
}

// miss notes lanes that were found nowhere.
func (p pool) miss(found []reg.Register, mask reg.Register, missed reg.Register) {
	bits := p.GP32()
	if p.wide {
		all := p.K()
		p.KORW(found[0], found[1], all)
		p.KORW(found[2], all, all)
		p.KORW(found[3], all, all)
		if mask == nil {
			p.KNOTW(all, all)
		} else {
			p.KANDNW(mask, all, all)
		}
		p.KMOVW(all, bits)
	} else {
		all := p.vector()
		p.VPOR(found[0], found[1], all)
		p.VPOR(found[2], all, all)
		p.VPOR(found[3], all, all)
		p.VMOVMSKPS(all, bits)
		p.XORL(operand.U32(0xff), bits)
	}
	p.ORL(bits, missed)
}

// interleaved stores the elements of left and right in turn.
func (p pool) interleaved(left, right vector, to reg.Register, mask reg.Register) {
	low, high := p.vector(), p.vector()
	if !p.wide {
		a, b := p.vector(), p.vector()
		p.VUNPCKLPS(right, left, a)
		p.VUNPCKHPS(right, left, b)
		p.VPERM2F128(operand.U8(0x20), b, a, low)
		p.VPERM2F128(operand.U8(0x31), b, a, high)
		p.store(low, to, 0)
		p.store(high, to, 32)
		return
	}
	for half, result := range []vector{low, high} {
		numbers := []uint64{}
		for i := 0; i < 16; i += 2 {
			from := 8*half + i/2
			numbers = append(numbers, uint64(16+from)<<32|uint64(from))
		}
		p.VMOVDQU32(p.table(fmt.Sprintf("poolTurns%d", half), numbers...), result)
		p.VPERMI2PS(right, left, result)
	}
	if mask == nil {
		p.store(low, to, 0)
		p.store(high, to, 64)
		return
	}
	k, l := p.doubledMasks(mask)
	p.VMOVUPS(low, k, operand.Mem{Base: to})
	p.VMOVUPS(high, l, operand.Mem{Base: to, Disp: 64})
}
