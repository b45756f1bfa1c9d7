package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bitsOf is the bits of an integer type and whether it is signed.
func bitsOf(d string) (bits int, signed bool) { return 8 * sizeOf[d], d[0] == 'i' }

// extensions is the casts of integers to longer ones.
func extensions() (all []loop) {
	for _, from := range []string{"int8", "uint8", "int16", "uint16", "int32", "uint32"} {
		size, signed := sizeOf[from], from[0] == 'i'
		for to := 2 * size; to <= 8; to *= 2 {
			extend := inOne(func(a *assembler) instruction { return a.extending(size, to, signed) })
			target := fmt.Sprintf("int%d", 8*to)
			l := casting(from, target, extend, extend).also(from + "/u" + target)
			switch {
			case from == "uint8":
				l = l.also("bool/"+target, "bool/u"+target)
			case from == "uint32":
				l = l.also("float32/complex64") // of an imaginary part that is zero
			}
			all = append(all, l)
		}
	}
	return all
}

// extending is the instruction that makes integers of one size those of another.
func (a *assembler) extending(from, to int, signed bool) instruction {
	if signed {
		return map[[2]int]instruction{
			{1, 2}: a.VPMOVSXBW, {1, 4}: a.VPMOVSXBD, {1, 8}: a.VPMOVSXBQ, {2, 4}: a.VPMOVSXWD, {2, 8}: a.VPMOVSXWQ, {4, 8}: a.VPMOVSXDQ,
		}[[2]int{from, to}]
	}
	return map[[2]int]instruction{
		{1, 2}: a.VPMOVZXBW, {1, 4}: a.VPMOVZXBD, {1, 8}: a.VPMOVZXBQ, {2, 4}: a.VPMOVZXWD, {2, 8}: a.VPMOVZXWQ, {4, 8}: a.VPMOVZXDQ,
	}[[2]int{from, to}]
}

// reductions is the casts of integers to shorter ones, whose bits are the lower ones.
func reductions() (all []loop) {
	for from := 2; from <= 8; from *= 2 {
		for to := 1; to < from; to *= 2 {
			source, target := fmt.Sprintf("int%d", 8*from), fmt.Sprintf("int%d", 8*to)
			body := func(a *assembler) func(in []operand.Mem) reg.Register {
				return func(in []operand.Mem) reg.Register { return a.lowerParts(a.loaded(in[0]), a.bytes(), from, to) }
			}
			all = append(all, casting(source, target, body, body).also(source+"/u"+target, "u"+source+"/"+target, "u"+source+"/u"+target))
		}
	}
	return all
}

// lowerParts takes so many of the lower bytes of every element of x, which fill so many bytes: with AVX2, of both halves of x.
func (a *assembler) lowerParts(x vector, bytes, from, to int) vector {
	result := a.registerOf(max(16, bytes*to/from))
	if a.wide {
		map[[2]int]instruction{
			{2, 1}: a.VPMOVWB, {4, 1}: a.VPMOVDB, {4, 2}: a.VPMOVDW, {8, 1}: a.VPMOVQB, {8, 2}: a.VPMOVQW, {8, 4}: a.VPMOVQD,
		}[[2]int{from, to}](x, result)
		return result
	}
	var lower [2]uint64
	for i := range 16 {
		place := uint64(0x80) // a byte that is zero
		if element := i / to; element < 16/from {
			place = uint64(element*from + i%to)
		}
		lower[i/8] |= place << (8 * (i % 8))
	}
	places := a.table(fmt.Sprintf("lower%dOf%d", to, from), lower[0], lower[1], lower[0], lower[1])
	if bytes == 16 {
		a.VPSHUFB(places, x, result)
		return result
	}
	high := a.XMM()
	a.VPSHUFB(places, x, x)
	a.VEXTRACTI128(operand.U8(1), x, high)
	map[int]instruction{2: a.VPUNPCKLWD, 4: a.VPUNPCKLDQ, 8: a.VPUNPCKLQDQ}[16*to/from](high, x.AsX(), result)
	return result
}

// integersToFloat64 is the casts of short integers to float64, by way of int32.
func integersToFloat64() (all []loop) {
	for _, from := range []string{"int8", "uint8", "int16", "uint16"} {
		size, signed := sizeOf[from], from[0] == 'i'
		body := straight(half(func(a *assembler) instruction { return a.extending(size, 4, signed) }),
			whole(func(a *assembler) instruction { return a.VCVTDQ2PD }))
		l := casting(from, "float64", body, body)
		if from == "uint8" {
			l = l.also("bool/float64")
		}
		all = append(all, l)
	}
	return all
}

// truncations is the casts of floats to integers. AVX2 converts to int32 alone: larger integers are put together.
func truncations() (all []loop) {
	for _, from := range []string{"float32", "float64"} {
		for _, to := range []string{"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"} {
			body := truncating(from, to)
			l := casting(from, to, body, body)
			if bits, signed := bitsOf(to); bits == 64 || bits == 32 && !signed {
				l.narrow = truncatingInParts(from, to)
			}
			all = append(all, l)
		}
	}
	for _, from := range []string{"float16", "bfloat16"} {
		for _, to := range []string{"int8", "uint8", "int16", "uint16", "int32"} {
			body := truncating(from, to)
			all = append(all, casting(from, to, body, body))
		}
	}
	return all
}

// truncating converts what is limited to the range of the integers, or 0 for NaN. Where the type of the floats does not hold the largest
// integer, what is above the range is left: the instruction gives all bits for it, which is the largest unsigned integer, and the
// highest bit alone for signed ones, whose opposite is the largest.
func truncating(from, to string) steps {
	bits, signed := bitsOf(to)
	double := from == "float64" || bits == 64
	low, high := 0.0, math.Ldexp(1, bits)-1
	if signed {
		low, high = math.Ldexp(-1, bits-1), math.Ldexp(1, bits-1)-1
	}
	isLimited := bits <= 16 || double && bits <= 32
	return func(a *assembler) func(in []operand.Mem) reg.Register {
		size, bytes := max(bits/8, 4), a.bytes()
		if double && size == 4 {
			bytes /= 2
		}
		floats, words := *a, *a
		floats.double, words.double = double, size == 8
		least, most, all := floats.spread(floats.number(low)), floats.spread(floats.number(math.Round(high))), a.registerOf(bytes)
		if !isLimited && signed {
			most = floats.spread(floats.number(high + 1))
			if a.wide {
				a.VPTERNLOGD(operand.U8(0xff), all, all, all)
			} else {
				a.VPCMPEQD(all, all, all)
			}
		}
		part := func(at operand.Mem) vector {
			x := a.vector()
			switch {
			case double && from == "float32":
				a.VCVTPS2PD(at, x)
			case from == "float16":
				a.VCVTPH2PS(at, x)
			case from == "bfloat16":
				a.VPMOVZXWD(at, x)
				a.VPSLLD(operand.U8(16), x, x)
			default:
				x = a.loaded(at)
			}
			isNumber, isAbove := floats.compared(7, x, x), reg.Register(nil)
			switch {
			case isLimited:
				x = floats.apply(floats.of(a.VMAXPS, a.VMAXPD), nil, least, x)
				x = floats.apply(floats.of(a.VMINPS, a.VMINPD), nil, most, x)
			case signed:
				isAbove = floats.compared(29, most, x)
			default:
				x = floats.apply(floats.of(a.VMAXPS, a.VMAXPD), nil, least, x)
			}
			x = floats.where(isNumber, x)
			result := a.registerOf(bytes)
			a.toIntegers(double, size, signed || bits <= 16)(x, result)
			switch {
			case isAbove == nil:
			case a.wide:
				words.of(a.VPXORD, a.VPXORQ)(all, result, isAbove, result)
			default:
				a.VPXOR(isAbove, result, result)
			}
			if bits < 32 {
				return a.lowerParts(result, bytes, 4, bits/8)
			}
			return result
		}
		return func(in []operand.Mem) reg.Register {
			if sizeOf[from] > 2 || bits > 16 {
				return part(in[0])
			}
			return a.together(part(in[0]), part(in[0].Offset(a.bytes()/2)), a.bytes()*bits/32)
		}
	}
}

// together is a register of the lower bytes of low, so many, and as many of high behind them.
func (a *assembler) together(low, high vector, bytes int) vector {
	result := a.registerOf(2 * bytes)
	switch bytes {
	case 8:
		a.VPUNPCKLQDQ(high, low, result)
	case 16:
		a.VINSERTI128(operand.U8(1), high.AsX(), low.AsY(), result)
	default:
		a.VINSERTI64X4(operand.U8(1), high.AsY(), low.AsZ(), result)
	}
	return result
}

// truncatingInParts is truncating by AVX2: the last bits of float64 numbers to which a power of two is added are those
// of an integer, and two such numbers have the halves of one of 64 bits.
func truncatingInParts(from, to string) steps {
	const truncates, roundsDown, half = operand.U8(11), operand.U8(9), 1 << 32
	bits, signed := bitsOf(to)
	least, beyond := 0.0, math.Ldexp(1, bits)
	if signed {
		least, beyond = math.Ldexp(-1, bits-1), math.Ldexp(1, bits-1)
	}
	return func(a *assembler) func(in []operand.Mem) reg.Register {
		floats := *a
		floats.double = true
		number := func(v float64) operand.Op { return floats.number(v) }
		part := func(at operand.Mem) vector {
			x := a.vector()
			if from == "float32" {
				a.VCVTPS2PD(at, x)
			} else {
				x = a.loaded(at)
			}
			isNumber := floats.compared(7, x, x)
			x = floats.apply(a.VMAXPD, nil, number(least), x)
			if bits == 32 {
				x = floats.where(isNumber, floats.apply(a.VMINPD, nil, number(beyond-1), x))
				return a.lowerHalves(floats.add(floats.apply(ofThree(a.VROUNDPD), nil, truncates, x), number(1<<52)))
			}
			isAbove := a.vector()
			a.VCMPPD(operand.U8(29), number(beyond), x, isAbove)
			x = floats.where(isNumber, floats.apply(a.VMINPD, nil, number(beyond), x))
			low := floats.apply(ofThree(a.VROUNDPD), nil, truncates, x)
			high := floats.apply(ofThree(a.VROUNDPD), nil, roundsDown, floats.multiply(low, number(1.0/half)))
			a.VFNMADD231PD(number(half), high, low)
			result := floats.shiftLeft(floats.add(high, number(1.5*(1<<52))), 32)
			a.VPBLENDD(operand.U8(0x55), floats.add(low, number(1<<52)), result, result)
			a.VPXOR(isAbove, result, result) // The least number becomes the largest, and zero that of unsigned ones.
			return result
		}
		return func(in []operand.Mem) reg.Register {
			if low := part(in[0]); bits != 32 || from != "float32" {
				return low
			} else {
				return a.joined([]vector{low, part(in[0].Offset(16))})
			}
		}
	}
}

// compared is the mask of floats compared in the way that the number says.
func (a *assembler) compared(way uint8, y, x vector) reg.Register {
	var mask reg.Register = a.vector()
	if a.wide {
		mask = a.K()
	}
	a.of(a.VCMPPS, a.VCMPPD)(operand.U8(way), y, x, mask)
	return mask
}

// where is the elements of x where mask is set, and zero elsewhere.
func (a *assembler) where(mask reg.Register, x vector) vector {
	if !a.wide {
		return a.and(x, mask)
	}
	result := a.vector()
	a.of(ofThree(a.VMOVDQA32_Z), ofThree(a.VMOVDQA64_Z))(x, mask, result)
	return result
}

// toIntegers is the instruction that truncates floats to integers of so many bytes.
func (a *assembler) toIntegers(double bool, size int, signed bool) instruction {
	switch {
	case double && size == 4 && !a.wide:
		return func(operands ...operand.Op) { a.VCVTTPD2DQY(operands[0], operands[1]) }
	case double && size == 8:
		return a.pickSign(signed, a.VCVTTPD2QQ, a.VCVTTPD2UQQ)
	case double:
		return a.pickSign(signed, a.VCVTTPD2DQ, a.VCVTTPD2UDQ)
	}
	return a.pickSign(signed, a.VCVTTPS2DQ, a.VCVTTPS2UDQ)
}
