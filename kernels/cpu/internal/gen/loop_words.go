package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bytesMultiplied is the loop of products of bytes, or of squares of one operand: those of every other byte at a time, as words, of
// which only the lower halves matter.
func bytesMultiplied(operator string, operands int) loop {
	return sameSize(operator, words8, operands, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		lower := a.spread(a.bits(0x00ff00ff))
		return func(in []operand.Mem) reg.Register {
			x := a.loaded(in[0])
			y := x
			if operands == 2 {
				y = a.loaded(in[1])
			}
			upper := func(x vector) vector { return a.apply(a.VPSRLW, nil, operand.U8(8), x) }
			even, odd := a.apply(a.VPMULLW, nil, y, x), a.apply(a.VPMULLW, nil, upper(y), upper(x))
			return a.or(a.and(even, lower), a.apply(a.VPSLLW, nil, operand.U8(8), odd))
		}
	})
}

// ordering is the instructions that take the larger and the lesser of two integers of one type, of which AVX2 has none for 64 bits.
type ordering struct {
	dtypes         []string
	larger, lesser pick
}

var orderings = []ordering{
	{[]string{"int8"}, func(a *assembler) instruction { return a.VPMAXSB }, func(a *assembler) instruction { return a.VPMINSB }},
	{[]string{"uint8"}, func(a *assembler) instruction { return a.VPMAXUB }, func(a *assembler) instruction { return a.VPMINUB }},
	{[]string{"int16"}, func(a *assembler) instruction { return a.VPMAXSW }, func(a *assembler) instruction { return a.VPMINSW }},
	{[]string{"uint16"}, func(a *assembler) instruction { return a.VPMAXUW }, func(a *assembler) instruction { return a.VPMINUW }},
	{[]string{"int32"}, func(a *assembler) instruction { return a.VPMAXSD }, func(a *assembler) instruction { return a.VPMINSD }},
	{[]string{"uint32"}, func(a *assembler) instruction { return a.VPMAXUD }, func(a *assembler) instruction { return a.VPMINUD }},
	{[]string{"int64"}, func(a *assembler) instruction { return a.VPMAXSQ }, func(a *assembler) instruction { return a.VPMINSQ }},
	{[]string{"uint64"}, func(a *assembler) instruction { return a.VPMAXUQ }, func(a *assembler) instruction { return a.VPMINUQ }},
}

// extremesOfWords is the loops that take the larger or the lesser of two integers, and the one after the other.
func extremesOfWords() (all []loop) {
	for _, o := range orderings {
		isLong, isSigned := sizeOf[o.dtypes[0]] == 8, o.dtypes[0][0] == 'i'
		take := func(a *assembler, larger bool, x vector, y operand.Mem) reg.Register {
			if isLong && !a.wide {
				return a.extremeLong(larger, isSigned, x, a.loaded(y))
			}
			if larger {
				return a.with(o.larger(a), y, x)
			}
			return a.with(o.lesser(a), y, x)
		}
		of := func(larger bool) steps {
			return func(a *assembler) func(in []operand.Mem) reg.Register {
				return func(in []operand.Mem) reg.Register { return take(a, larger, a.loaded(in[0]), in[1]) }
			}
		}
		all = append(all,
			sameSize("maximum", o.dtypes, 2, false, of(true)), sameSize("minimum", o.dtypes, 2, false, of(false)),
			sameSize("clamp", o.dtypes, 3, false, func(a *assembler) func(in []operand.Mem) reg.Register {
				return func(in []operand.Mem) reg.Register {
					return take(a, false, take(a, true, a.loaded(in[0]), in[1]).(vector), in[2])
				}
			}))
	}
	return all
}

// extremeLong takes the larger or the lesser of integers of 64 bits with AVX2, which compares signed ones.
func (a *assembler) extremeLong(larger, signed bool, x, y vector) vector {
	p, q := x, y
	if !signed {
		p, q = a.xor(x, a.spread(a.bits(1<<63))), a.xor(y, a.spread(a.bits(1<<63)))
	}
	above, chosen := a.vector(), a.vector()
	a.VPCMPGTQ(q, p, above)
	if !larger {
		x, y = y, x
	}
	a.VBLENDVPD(above, x, y, chosen)
	return chosen
}

// signLoops is the loops that give −1, 0 or 1.
func signLoops() (all []loop) {
	for _, o := range orderings {
		all = append(all, sameSize("sign", o.dtypes, 1, false, func(a *assembler) func(in []operand.Mem) reg.Register {
			return a.signOfWords(o, sizeOf[o.dtypes[0]], o.dtypes[0][0] == 'i')
		}))
	}
	for _, dtypes := range [][]string{float32s, float64s} {
		all = append(all, sameSize("sign", dtypes, 1, false, signOfFloats))
	}
	return all
}

// signOfWords limits integers to −1 and 1 by instructions of AVX-512. For AVX2 it adds what comparisons give, which is −1.
func (a *assembler) signOfWords(o ordering, size int, signed bool) func(in []operand.Mem) reg.Register {
	one := map[int]uint64{1: 0x01010101, 2: 0x00010001, 4: 1, 8: 1}[size]
	zero, most := zeroVector(a).(vector), a.spread(a.bits(one))
	if a.wide {
		least := a.ones()
		return func(in []operand.Mem) reg.Register {
			x := a.loaded(in[0])
			if signed {
				x = a.apply(o.larger(a), nil, least, x)
			}
			return a.apply(o.lesser(a), nil, most, x)
		}
	}
	above := map[int]instruction{1: a.VPCMPGTB, 2: a.VPCMPGTW, 4: a.VPCMPGTD, 8: a.VPCMPGTQ}[size]
	equal := map[int]instruction{1: a.VPCMPEQB, 2: a.VPCMPEQW, 4: a.VPCMPEQD, 8: a.VPCMPEQQ}[size]
	sum := map[int]instruction{1: a.VPADDB, 2: a.VPADDW, 4: a.VPADDD, 8: a.VPADDQ}[size]
	difference := map[int]instruction{1: a.VPSUBB, 2: a.VPSUBW, 4: a.VPSUBD, 8: a.VPSUBQ}[size]
	return func(in []operand.Mem) reg.Register {
		x := a.loaded(in[0])
		if !signed {
			return a.apply(sum, nil, a.apply(equal, nil, zero, x), most)
		}
		return a.apply(difference, nil, a.apply(above, nil, zero, x), a.apply(above, nil, x, zero))
	}
}

// ones is a vector of bits that are all set.
func (a *assembler) ones() vector {
	all := a.vector()
	if a.wide {
		a.VPTERNLOGD(operand.U8(0xff), all, all, all)
	} else {
		a.VPCMPEQD(all, all, all)
	}
	return all
}

// signOfFloats gives 1 the sign of the element, but for zeros and NaN.
func signOfFloats(a *assembler) func(in []operand.Mem) reg.Register {
	const unordered, unequal = operand.U8(3), operand.U8(4)
	highest := uint64(1) << 31
	if a.double {
		highest = 1 << 63
	}
	zero, one, sign := zeroVector(a), a.spread(a.number(1)), a.spread(a.bits(highest))
	compare := a.of(a.VCMPPS, a.VCMPPD)
	return func(in []operand.Mem) reg.Register {
		x := a.loaded(in[0])
		result := a.or(a.and(x, sign), one)
		if a.wide {
			something, noNumber, chosen := a.K(), a.K(), a.vector()
			compare(unequal, zero, x, something)
			compare(unordered, x, x, noNumber)
			a.of(ofThree(a.VMOVDQA32_Z), ofThree(a.VMOVDQA64_Z))(result, something, chosen)
			a.of(a.VMOVDQA32, a.VMOVDQA64)(x, noNumber, chosen)
			return chosen
		}
		return a.choose(a.apply(compare, nil, unordered, x, x), x, a.and(result, a.apply(compare, nil, unequal, zero, x)))
	}
}
