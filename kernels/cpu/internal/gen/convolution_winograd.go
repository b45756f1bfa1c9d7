package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The offsets of the fields of the tiling of package convolution, in bytes.
const (
	tilingSrc = 8 * iota
	tilingRow
	tilingPhase
	tilingDst
	tilingStep
	tilingCount
)

// tilingField returns a function that loads the fields of a tiling.
func (a *assembler) tilingField() func(offset int) reg.GPVirtual {
	tiling := a.Load(a.Param("tiling"), a.GP64())
	return func(offset int) reg.GPVirtual {
		register := a.GP64()
		a.MOVQ(operand.Mem{Base: tiling, Disp: offset}, register)
		return register
	}
}

// rounds writes the loop over count rounds, and its end.
func (a *assembler) rounds(count reg.GPVirtual, body func()) {
	a.Label("round")
	body()
	a.DECQ(count)
	a.JNZ(operand.LabelRef("round"))
	a.VZEROUPPER()
	a.RET()
}

// winogradInput writes the transform of data: rows of four, B^T d B for the tiles of a vector.
func (a *assembler) winogradInput() {
	a.begin(a.elementName()+"Input", "tiling *byte", "transforms the data of a row of tiles, a vector of tiles at a time.")
	field := a.tilingField()
	src, row, dst, step, count := field(tilingSrc), field(tilingRow), field(tilingDst), field(tilingStep), field(tilingCount)
	move := a.of(a.VMOVUPS, a.VMOVUPD)
	row3, to := a.GP64(), a.GP64()
	a.LEAQ(operand.Mem{Base: row, Index: row, Scale: 2}, row3)
	var even, odd vector // indices
	if a.wide {
		even, odd = a.vector(), a.vector()
		move(a.alternating("Even", 0), even)
		move(a.alternating("Odd", 1), odd)
	}
	// read returns the elements of a row that are so many behind the first of tiles.
	read := func(i int) (d [4]vector) {
		for j := range 2 {
			m := operand.Mem{Base: src, Disp: 2 * j * a.elementBytes()}
			switch i {
			case 1, 2:
				m.Index, m.Scale = row, uint8(i)
			case 3:
				m.Index, m.Scale = row3, 1
			}
			x, y := a.vector(), a.vector()
			move(m, x)
			m.Disp += a.bytes()
			move(m, y)
			d[2*j], d[2*j+1] = a.separate(x, y, even, odd)
		}
		return d
	}
	a.rounds(count, func() {
		a.MOVQ(dst, to)
		put := func(x, y [4]vector, combine func(x vector, y operand.Op) vector) {
			var d [4]vector
			for j := range d {
				d[j] = combine(x[j], y[j])
			}
			for _, v := range []vector{a.subtract(d[0], d[2]), a.add(d[1], d[2]), a.subtract(d[2], d[1]), a.subtract(d[1], d[3])} {
				move(v, operand.Mem{Base: to})
				a.ADDQ(step, to)
			}
		}
		third := read(2)
		put(read(0), third, a.subtract)
		second := read(1)
		put(second, third, a.add)
		put(third, second, a.subtract)
		put(second, read(3), a.subtract)
		a.ADDQ(operand.U32(2*a.bytes()), src)
		a.ADDQ(operand.U32(a.bytes()), dst)
	})
}

// alternating returns the indices of every other element of two vectors, from the given one on.
func (a *assembler) alternating(name string, from int) operand.Mem {
	return a.places(name, func(i int) int { return 2*i + from })
}

// places returns indices of elements of two vectors, for each lane one.
func (a *assembler) places(name string, place func(lane int) int) operand.Mem {
	values := make([]uint64, 8)
	for i := range a.bytes() / a.elementBytes() {
		if a.double {
			values[i] = uint64(place(i))
		} else {
			values[i/2] |= uint64(place(i)) << (32 * (i % 2))
		}
	}
	return a.table(a.elementName()+name, values...)
}

// fourOf returns the four vectors from an address on that lie step bytes apart. The address is behind them after it.
func (a *assembler) fourOf(from, step reg.GPVirtual) (line [4]vector) {
	for i := range line {
		line[i] = a.vector()
		a.of(a.VMOVUPS, a.VMOVUPD)(operand.Mem{Base: from}, line[i])
		a.ADDQ(step, from)
	}
	return line
}

// separate returns the even and the odd elements of x and, behind them, y.
func (a *assembler) separate(x, y, even, odd vector) (evens, odds vector) {
	evens, odds = a.vector(), a.vector()
	if a.wide {
		a.VMOVDQA64(x, evens)
		a.of(a.VPERMT2PS, a.VPERMT2PD)(y, even, evens)
		a.VMOVDQA64(x, odds)
		a.of(a.VPERMT2PS, a.VPERMT2PD)(y, odd, odds)
		return evens, odds
	}
	if a.double {
		a.VSHUFPD(operand.U8(0b0000), y, x, evens)
		a.VSHUFPD(operand.U8(0b1111), y, x, odds)
	} else {
		a.VSHUFPS(operand.U8(0b10_00_10_00), y, x, evens)
		a.VSHUFPS(operand.U8(0b11_01_11_01), y, x, odds)
	}
	a.VPERMPD(operand.U8(0b11_01_10_00), evens, evens)
	a.VPERMPD(operand.U8(0b11_01_10_00), odds, odds)
	return evens, odds
}

// winogradOutput writes the transform of products: A^T m A for the tiles of a vector, two rows of adjacent columns.
func (a *assembler) winogradOutput() {
	a.begin(a.elementName()+"Output", "tiling *byte", "transforms the products of a row of tiles, a vector of tiles at a time, to two rows.")
	field := a.tilingField()
	src, row, dst, step, count := field(tilingSrc), field(tilingRow), field(tilingDst), field(tilingStep), field(tilingCount)
	move := a.of(a.VMOVUPS, a.VMOVUPD)
	var low, high vector // indices that interleave
	if a.wide {
		low, high = a.vector(), a.vector()
		move(a.interleaving("interleaveLow", 0), low)
		move(a.interleaving("interleaveHigh", a.bytes()/a.elementBytes()/2), high)
	}
	from := a.GP64()
	a.rounds(count, func() {
		a.MOVQ(src, from)
		var m [4][2]vector
		for i := range m {
			line := a.fourOf(from, step)
			m[i] = [2]vector{a.add(a.add(line[0], line[1]), line[2]), a.subtract(a.subtract(line[1], line[2]), line[3])}
		}
		for i := range 2 {
			var y [2]vector
			for j := range y {
				if i == 0 {
					y[j] = a.add(a.add(m[0][j], m[1][j]), m[2][j])
				} else {
					y[j] = a.subtract(a.subtract(m[1][j], m[2][j]), m[3][j])
				}
			}
			first, second := a.interleave(y[0], y[1], low, high)
			at := operand.Mem{Base: dst}
			if i == 1 {
				at.Index, at.Scale = row, 1
			}
			move(first, at)
			at.Disp = a.bytes()
			move(second, at)
		}
		a.ADDQ(operand.U32(a.bytes()), src)
		a.ADDQ(operand.U32(2*a.bytes()), dst)
	})
}

// winogradGradient writes the transform of the result's gradient for the sums of weights, 2 by 2 vectors of filters to 4 by 4, tile after
// tile of a row.
func (a *assembler) winogradGradient() {
	a.begin(a.elementName()+"Gradient", "tiling *byte", "transforms the result's gradient of a row of tiles, a tile of a vector of filters at a time.")
	field := a.tilingField()
	src, row, phase, dst, step, count := field(tilingSrc), field(tilingRow), field(tilingPhase), field(tilingDst), field(tilingStep), field(tilingCount)
	move := a.of(a.VMOVUPS, a.VMOVUPD)
	lower, to := a.GP64(), a.GP64()
	a.rounds(count, func() {
		a.LEAQ(operand.Mem{Base: src, Index: row, Scale: 1}, lower)
		a.MOVQ(dst, to)
		var g [2][2]vector
		for i, base := range []reg.GPVirtual{src, lower} {
			for j := range g[i] {
				g[i][j] = a.vector()
				at := operand.Mem{Base: base}
				if j == 1 {
					at.Index, at.Scale = phase, 1
				}
				move(at, g[i][j])
			}
		}
		put := func(left, right vector) {
			for _, v := range []vector{left, a.add(left, right), a.subtract(left, right), right} {
				move(v, operand.Mem{Base: to})
				a.ADDQ(step, to)
			}
		}
		put(g[0][0], g[0][1])
		put(a.add(g[0][0], g[1][0]), a.add(g[0][1], g[1][1]))
		put(a.subtract(g[0][0], g[1][0]), a.subtract(g[0][1], g[1][1]))
		put(g[1][0], g[1][1])
		a.LEAQ(operand.Mem{Base: src, Index: phase, Scale: 2}, src)
		a.ADDQ(phase, dst)
	})
}

// winogradWeights writes the transform of sums to weights, 4 by 4 vectors of filters to 3 by 3, whose rows may be those of the sums.
func (a *assembler) winogradWeights() {
	a.begin(a.elementName()+"Weights", "tiling *byte", "transforms the sums of a channel, a vector of filters at a time, to nine rows.")
	field := a.tilingField()
	src, row, dst, step, count := field(tilingSrc), field(tilingRow), field(tilingDst), field(tilingStep), field(tilingCount)
	move := a.of(a.VMOVUPS, a.VMOVUPD)
	half := a.spread(a.number(0.5))
	halfOf := func(v vector) { a.of(a.VMULPS, a.VMULPD)(half, v, v) }
	from, to := a.GP64(), a.GP64()
	a.rounds(count, func() {
		a.MOVQ(src, from)
		var m [4][3]vector
		for i := range m {
			line := a.fourOf(from, step)
			sum, difference := a.add(line[1], line[2]), a.subtract(line[1], line[2])
			halfOf(sum)
			halfOf(difference)
			m[i] = [3]vector{a.add(line[0], sum), difference, a.subtract(sum, line[3])}
			if i != 2 {
				continue
			}
			for j := range m[1] { // From here on m[1] is half the sum, and m[2] half the difference.
				difference := a.subtract(m[1][j], m[2][j])
				m[1][j] = a.add(m[1][j], m[2][j])
				m[2][j] = difference
				halfOf(m[1][j])
				halfOf(m[2][j])
				m[0][j] = a.add(m[0][j], m[1][j])
			}
		}
		a.MOVQ(dst, to)
		put := func(v vector) {
			move(v, operand.Mem{Base: to})
			a.ADDQ(row, to)
		}
		for _, v := range m[0] {
			put(v)
		}
		for _, v := range m[2] {
			put(v)
		}
		for j := range m[1] {
			put(a.subtract(m[1][j], m[3][j]))
		}
		a.ADDQ(operand.U32(a.bytes()), src)
		a.ADDQ(operand.U32(a.bytes()), dst)
	})
}

// interleaving returns indices of elements of two vectors in turn, from the given one on.
func (a *assembler) interleaving(name string, from int) operand.Mem {
	lanes := a.bytes() / a.elementBytes()
	return a.places(name, func(i int) int { return from + i/2 + i%2*lanes })
}

// interleave returns the elements of x and y in turn.
func (a *assembler) interleave(x, y, low, high vector) (first, second vector) {
	if a.wide {
		first, second = a.vector(), a.vector()
		a.VMOVDQA64(x, first)
		a.of(a.VPERMT2PS, a.VPERMT2PD)(y, low, first)
		a.VMOVDQA64(x, second)
		a.of(a.VPERMT2PS, a.VPERMT2PD)(y, high, second)
		return first, second
	}
	l, h := a.vector(), a.vector()
	a.of(a.VUNPCKLPS, a.VUNPCKLPD)(y, x, l)
	a.of(a.VUNPCKHPS, a.VUNPCKHPD)(y, x, h)
	first, second = a.vector(), a.vector()
	a.VPERM2F128(operand.U8(0x20), h, l, first)
	a.VPERM2F128(operand.U8(0x31), h, l, second)
	return first, second
}
