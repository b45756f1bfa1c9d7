package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// relation is how two elements are compared: by the immediate operand for floats, without exceptions, and for integers. With
// AVX2 integers are only told equal or greater, so the others are the opposite of one of these, or of it the other way round.
type relation struct {
	operator        string
	floats, words   uint8
	equal, opposite bool
	swapped         bool
}

var relations = []relation{
	{operator: "equal", floats: 0, words: 0, equal: true},
	{operator: "not_equal", floats: 4, words: 4, equal: true, opposite: true},
	{operator: "greater", floats: 30, words: 6},
	{operator: "greater_equal", floats: 29, words: 5, swapped: true, opposite: true},
	{operator: "less", floats: 17, words: 1, swapped: true},
	{operator: "less_equal", floats: 18, words: 2, opposite: true},
}

// ones32 is 32 bytes of 1.
func (a *assembler) onesOfBytes() operand.Mem {
	const ones = 0x0101010101010101
	return a.table("bytesOfOne", ones, ones, ones, ones, ones, ones, ones, ones)
}

// decide makes bools of a mask, with which elements of the given size are compared.
type decide func(mask reg.Register) reg.Register

func (a *assembler) decision(size int) decide {
	elements := a.bytes() / size
	ones := a.registerOf(max(16, min(elements, a.bytes())))
	switch {
	case elements == 64:
		a.VMOVDQU8(a.onesOfBytes(), ones)
	default:
		a.VMOVDQU(a.onesOfBytes(), ones)
	}
	if a.wide {
		return func(mask reg.Register) reg.Register {
			result := a.registerOf(elements)
			a.VMOVDQU8_Z(ones, mask, result)
			return result
		}
	}
	return func(mask reg.Register) reg.Register {
		if size > 1 {
			low, high := mask.(vector).AsX(), a.XMM()
			a.VEXTRACTI128(operand.U8(1), mask, high)
			packed := a.XMM()
			if size == 2 {
				a.VPACKSSWB(high, low, packed)
			} else {
				a.VPACKSSDW(high, low, packed)
				if size == 8 {
					a.VPACKSSDW(packed, packed, packed)
				}
				a.VPACKSSWB(packed, packed, packed)
			}
			a.VPAND(ones, packed, packed)
			return packed
		}
		result := a.YMM()
		a.VPAND(ones, mask, result)
		return result
	}
}

// comparing is a loop that compares two operands, of floats if isFloat, else of integers, signed or not.
func comparing(r relation, dtypes []string, isFloat, signed bool) loop {
	size := sizeOf[dtypes[0]]
	body := func(a *assembler) func(in []operand.Mem) reg.Register {
		toBool := a.decision(size)
		return func(in []operand.Mem) reg.Register {
			if !a.wide && !isFloat {
				return toBool(a.compareWords(r, size, signed, in))
			}
			var mask reg.Register = a.vector()
			if a.wide {
				mask = a.K()
			}
			way, x := operand.U8(r.words), a.loaded(in[0])
			write := map[int]instruction{
				1: a.pickSign(signed, a.VPCMPB, a.VPCMPUB), 2: a.pickSign(signed, a.VPCMPW, a.VPCMPUW),
				4: a.pickSign(signed, a.VPCMPD, a.VPCMPUD), 8: a.pickSign(signed, a.VPCMPQ, a.VPCMPUQ),
			}[size]
			if isFloat {
				way, write = operand.U8(r.floats), a.of(a.VCMPPS, a.VCMPPD)
			}
			write(way, in[1], x, mask)
			return toBool(mask)
		}
	}
	return loop{operator: r.operator, dtypes: dtypes, sizes: []int{1, size, size}, narrow: body, wide: body}
}

func (a *assembler) pickSign(signed bool, yes, no func(...operand.Op)) instruction {
	if signed {
		return yes
	}
	return no
}

// compareWords compares integers with AVX2. The order of unsigned ones is that of signed ones whose highest bits are inverted.
func (a *assembler) compareWords(r relation, size int, signed bool, in []operand.Mem) reg.Register {
	write := map[int]instruction{1: a.VPCMPGTB, 2: a.VPCMPGTW, 4: a.VPCMPGTD, 8: a.VPCMPGTQ}[size]
	if r.equal {
		write = map[int]instruction{1: a.VPCMPEQB, 2: a.VPCMPEQW, 4: a.VPCMPEQD, 8: a.VPCMPEQQ}[size]
	}
	x, y := a.loaded(in[0]), a.loaded(in[1])
	if !signed && !r.equal {
		highest := a.bits(map[int]uint64{1: 0x80808080, 2: 0x80008000, 4: 1 << 31, 8: 1 << 63}[size])
		x, y = a.xor(x, highest), a.xor(y, highest)
	}
	if r.swapped {
		x, y = y, x
	}
	mask := a.apply(write, nil, y, x)
	if r.opposite {
		mask = a.xor(mask, a.ones())
	}
	return mask
}

// classifying is a loop that compares floats, or their magnitudes, with a constant or themselves.
func classifying(operator string, dtype string, way uint8, magnitude bool, constant float64) loop {
	size := sizeOf[dtype]
	body := func(a *assembler) func(in []operand.Mem) reg.Register {
		toBool := a.decision(size)
		var limit vector
		if magnitude {
			limit = a.spread(a.number(constant))
		}
		return func(in []operand.Mem) reg.Register {
			x := a.loaded(in[0])
			against := x
			if magnitude {
				sign := uint64(1)<<31 - 1
				if a.double {
					sign = 1<<63 - 1
				}
				x, against = a.and(x, a.bits(sign)), limit
			}
			var mask reg.Register = a.vector()
			if a.wide {
				mask = a.K()
			}
			a.of(a.VCMPPS, a.VCMPPD)(operand.U8(way), against, x, mask)
			return toBool(mask)
		}
	}
	return loop{operator: operator, dtypes: []string{dtype}, sizes: []int{1, size}, narrow: body, wide: body}
}

// signs is a loop that tells whether the highest bits of elements are set.
func signs(dtypes []string) loop {
	size := sizeOf[dtypes[0]]
	body := func(a *assembler) func(in []operand.Mem) reg.Register {
		toBool, zero := a.decision(size), zeroVector(a)
		return func(in []operand.Mem) reg.Register {
			if a.wide {
				const greater = operand.U8(6)
				mask := a.K()
				map[int]func(...operand.Op){2: a.VPCMPW, 4: a.VPCMPD, 8: a.VPCMPQ}[size](greater, in[0], zero, mask)
				return toBool(mask)
			}
			mask := a.vector()
			map[int]instruction{2: a.VPCMPGTW, 4: a.VPCMPGTD, 8: a.VPCMPGTQ}[size](in[0], zero, mask)
			return toBool(mask)
		}
	}
	return loop{operator: "signbit", dtypes: dtypes, sizes: []int{1, size}, narrow: body, wide: body}
}

// choosing is the loop of where, for elements of one size.
func choosing(dtypes []string) loop {
	size := sizeOf[dtypes[0]]
	wide := func(a *assembler) func(in []operand.Mem) reg.Register {
		return func(in []operand.Mem) reg.Register {
			elements := a.bytes() / size
			condition, mask := a.registerOf(elements), a.K()
			switch elements {
			case 64:
				a.VMOVDQU8(in[0], condition)
			case 8:
				a.VMOVQ(in[0], condition)
			case 4:
				a.VMOVD(in[0], condition)
				a.VPUNPCKLBW(condition, condition, condition) // one for each half
			default:
				a.VMOVDQU(in[0], condition)
			}
			a.VPTESTMB(condition, condition, mask)
			result := a.vector()
			choose := map[int]func(...operand.Op){1: a.VPBLENDMB, 2: a.VPBLENDMW, 4: a.VPBLENDMD, 8: a.VPBLENDMQ, 16: a.VPBLENDMQ}[size]
			choose(in[1], a.loaded(in[2]), mask, result)
			return result
		}
	}
	narrow := func(a *assembler) func(in []operand.Mem) reg.Register {
		zero := zeroVector(a)
		return func(in []operand.Mem) reg.Register {
			condition, refused, result := a.vector(), a.vector(), a.vector()
			switch size {
			case 1:
				condition = a.loaded(in[0])
			case 16:
				a.VPMOVZXBQ(in[0], condition.AsX())
				a.VPERMQ(operand.U8(0b01_01_00_00), condition, condition) // one for each half
			default:
				map[int]instruction{2: a.VPMOVZXBW, 4: a.VPMOVZXBD, 8: a.VPMOVZXBQ}[size](in[0], condition)
			}
			map[int]instruction{1: a.VPCMPEQB, 2: a.VPCMPEQW, 4: a.VPCMPEQD, 8: a.VPCMPEQQ, 16: a.VPCMPEQQ}[size](zero, condition, refused)
			a.VPBLENDVB(refused, in[2], a.loaded(in[1]), result)
			return result
		}
	}
	return loop{operator: "where", dtypes: dtypes, sizes: []int{size, 1, size, size}, narrow: narrow, wide: wide}
}

// truths is a loop that tells whether any of the given bits of elements is set, repeated over a word of 64, or whether none is.
func truths(none bool, dtypes []string, bits uint64) loop {
	size := sizeOf[dtypes[0]]
	body := func(a *assembler) func(in []operand.Mem) reg.Register {
		words := *a
		words.double = true
		toBool, of, zero := a.decision(size), words.spread(words.bits(bits)), zeroVector(a)
		test, equal := map[int]instruction{1: a.VPTESTMB, 2: a.VPTESTMW, 4: a.VPTESTMD, 8: a.VPTESTMQ}[size],
			map[int]instruction{1: a.VPCMPEQB, 2: a.VPCMPEQW, 4: a.VPCMPEQD, 8: a.VPCMPEQQ}[size]
		if none {
			test = map[int]instruction{1: a.VPTESTNMB, 2: a.VPTESTNMW, 4: a.VPTESTNMD, 8: a.VPTESTNMQ}[size]
		}
		return func(in []operand.Mem) reg.Register {
			if a.wide {
				mask := a.K()
				test(in[0], of, mask)
				return toBool(mask)
			}
			mask := a.apply(equal, nil, zero, a.and(a.loaded(in[0]), of))
			if !none {
				mask = a.xor(mask, a.ones())
			}
			return toBool(mask)
		}
	}
	l := loop{operator: "cast", sizes: []int{1, size}, narrow: body, wide: body}
	for _, d := range dtypes {
		l.dtypes = append(l.dtypes, d+"/bool")
	}
	if none {
		l.operator, l.dtypes = "logical_not", dtypes
	}
	return l
}

// truthLoops is the loops that tell which elements are zero, or not: of floats whatever the sign, and of complex numbers both parts.
func truthLoops(none bool) []loop {
	const every = 1<<64 - 1
	return []loop{
		truths(none, words8, every), truths(none, words16, every), truths(none, words32, every), truths(none, words64, every),
		truths(none, []string{"float16", "bfloat16"}, 0x7fff7fff7fff7fff), truths(none, float32s, 0x7fffffff7fffffff),
		truths(none, float64s, 1<<63-1), truths(none, []string{"complex64"}, 0x7fffffff7fffffff),
	}
}

// comparisonLoops is the table of loops that give or take bools.
var comparisonLoops = func() (all []loop) {
	for _, r := range relations {
		all = append(all, comparing(r, float32s, true, false), comparing(r, float64s, true, false))
		for _, unsigned := range []string{"uint8", "uint16", "uint32", "uint64"} {
			signed, dtypes := unsigned[1:], []string{unsigned}
			if unsigned == "uint8" {
				dtypes = append(dtypes, "bool")
			}
			if r.equal {
				all = append(all, comparing(r, append(dtypes, signed), false, false))
			} else {
				all = append(all, comparing(r, dtypes, false, false), comparing(r, []string{signed}, false, true))
			}
		}
	}
	for _, d := range []string{"float32", "float64"} {
		all = append(all,
			classifying("isnan", d, 3, false, 0), classifying("isinf", d, 0, true, math.Inf(1)), classifying("isfinite", d, 17, true, math.Inf(1)))
	}
	all = append(all, truthLoops(false)...)
	return append(all,
		signs([]string{"float16", "bfloat16"}), signs(float32s), signs(float64s),
		choosing([]string{"int8", "uint8", "bool"}), choosing([]string{"int16", "uint16", "float16", "bfloat16"}),
		choosing([]string{"int32", "uint32", "float32"}), choosing([]string{"int64", "uint64", "float64", "complex64"}),
		choosing([]string{"complex128"}))
}()
