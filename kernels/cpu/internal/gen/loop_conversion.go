package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// casting is a loop from one element type to another.
func casting(from, to string, narrow, wide steps) loop {
	return loop{operator: "cast", dtypes: []string{from + "/" + to}, sizes: []int{sizeOf[to], sizeOf[from]}, narrow: narrow, wide: wide}
}

// straight is the steps of instructions one after the other, the first on memory, whose results have so many bytes for every
// 64 of the longest vector.
func straight(parts ...part) steps {
	return func(a *assembler) func(in []operand.Mem) reg.Register {
		return func(in []operand.Mem) reg.Register {
			var x operand.Op = in[0]
			for _, p := range parts {
				result := a.registerOf(max(16, a.bytes()*p.share/8))
				p.write(a)(x, result)
				x = result
			}
			return x.(reg.Register)
		}
	}
}

// part is an instruction whose result has so many eighths of a vector.
type part struct {
	share int
	write pick
}

func whole(p pick) part { return part{8, p} }

func half(p pick) part { return part{4, p} }

// plain is the instruction without an immediate operand.
func plain(write func(a *assembler) func(x, y operand.Op)) pick {
	return func(a *assembler) instruction {
		return func(operands ...operand.Op) { write(a)(operands[0], operands[1]) }
	}
}

// loadWhole loads a vector from memory.
var loadWhole = whole(func(a *assembler) instruction {
	return func(operands ...operand.Op) {
		if a.wide {
			a.VMOVDQU32(operands...)
		} else {
			a.VMOVDQU(operands[0], operands[1])
		}
	}
})

func toBFloat16(a *assembler) func(in []operand.Mem) reg.Register {
	rounded := roundToBFloat16(a)
	return func(in []operand.Mem) reg.Register {
		x := rounded(a.loaded(in[0]))
		if a.wide {
			return x
		}
		return x.AsX()
	}
}

// roundToBFloat16 returns what rounds the bits of float32, to even where that is a tie, to the lower half of a vector; NaN stays one.
func roundToBFloat16(a *assembler) func(x vector) vector {
	one, bias, quiet := a.spread(a.bits(1)), a.spread(a.bits(0x7fff)), a.spread(a.bits(0x40))
	return func(x vector) vector {
		upper := a.shiftRight(x, 16)
		odd := a.and(upper, one)
		rounded := a.shiftRight(a.addIntegers(a.addIntegers(x, bias), odd), 16)
		unordered := operand.U8(3)
		if a.wide {
			mask, result := a.K(), a.YMM()
			a.VCMPPS(unordered, x, x, mask)
			a.VPORD(quiet, upper, mask, rounded)
			a.VPMOVDW(rounded, result)
			return result
		}
		silent := a.or(upper, quiet)
		mask, chosen := a.vector(), a.vector()
		a.VCMPPS(unordered, x, x, mask)
		a.VBLENDVPS(mask, silent, rounded, chosen)
		a.VPACKUSDW(chosen, chosen, chosen)
		a.VPERMQ(operand.U8(0x08), chosen, chosen)
		return chosen
	}
}

// conversionLoops is the table of casts.
var conversionLoops = slicesOf([]loop{
	casting("float32", "float64",
		straight(whole(func(a *assembler) instruction { return a.VCVTPS2PD })),
		straight(whole(func(a *assembler) instruction { return a.VCVTPS2PD }))),
	casting("float64", "float32",
		straight(half(plain(func(a *assembler) func(x, y operand.Op) { return func(x, y operand.Op) { a.VCVTPD2PSY(x, y) } }))),
		straight(half(plain(func(a *assembler) func(x, y operand.Op) { return func(x, y operand.Op) { a.VCVTPD2PS(x, y) } })))),
	casting("float32", "float16", straight(loadWhole, toHalf), straight(loadWhole, toHalf)),
	casting("float16", "float32",
		straight(whole(func(a *assembler) instruction { return a.VCVTPH2PS })),
		straight(whole(func(a *assembler) instruction { return a.VCVTPH2PS }))),
	casting("float32", "bfloat16", toBFloat16, toBFloat16),
	casting("bfloat16", "float32", fromBFloat16, fromBFloat16),
	casting("int32", "float32", inOne(func(a *assembler) instruction { return a.VCVTDQ2PS }), inOne(func(a *assembler) instruction { return a.VCVTDQ2PS })),
	casting("int32", "float64", inOne(func(a *assembler) instruction { return a.VCVTDQ2PD }), inOne(func(a *assembler) instruction { return a.VCVTDQ2PD })),
	casting("uint32", "float32", uint32ToSingles, inOne(func(a *assembler) instruction { return a.VCVTUDQ2PS })),
	casting("uint32", "float64", uint32ToDoubles, inOne(func(a *assembler) instruction { return a.VCVTUDQ2PD })),
	casting("int64", "float64", wordsToDoubles(true), inOne(func(a *assembler) instruction { return a.VCVTQQ2PD })),
	casting("uint64", "float64", wordsToDoubles(false), inOne(func(a *assembler) instruction { return a.VCVTUQQ2PD })),
	casting("int64", "float32", nil, straight(half(func(a *assembler) instruction { return a.VCVTQQ2PS }))),
	casting("uint64", "float32", nil, straight(half(func(a *assembler) instruction { return a.VCVTUQQ2PS }))),
	casting("uint8", "float32", thenFloat(func(a *assembler) instruction { return a.VPMOVZXBD }), thenFloat(func(a *assembler) instruction { return a.VPMOVZXBD })).also("bool/float32"),
	casting("int8", "float32", thenFloat(func(a *assembler) instruction { return a.VPMOVSXBD }), thenFloat(func(a *assembler) instruction { return a.VPMOVSXBD })),
	casting("uint16", "float32", thenFloat(func(a *assembler) instruction { return a.VPMOVZXWD }), thenFloat(func(a *assembler) instruction { return a.VPMOVZXWD })),
	casting("int16", "float32", thenFloat(func(a *assembler) instruction { return a.VPMOVSXWD }), thenFloat(func(a *assembler) instruction { return a.VPMOVSXWD })),
	casting("float64", "complex128", toRealPart, toRealPart),
}, extensions(), reductions(), integersToFloat64(), truncations(), oddLoops())

var toHalf = half(func(a *assembler) instruction {
	return func(operands ...operand.Op) { a.VCVTPS2PH(operand.U8(0), operands[0], operands[1]) } // to the nearest, ties to even
})

var fromBFloat16 = straight(whole(func(a *assembler) instruction { return a.VPMOVZXWD }), whole(func(a *assembler) instruction {
	return func(operands ...operand.Op) { a.VPSLLD(operand.U8(16), operands[0], operands[1]) }
}))

func inOne(p pick) steps { return straight(whole(p)) }

func thenFloat(p pick) steps {
	return straight(whole(p), whole(func(a *assembler) instruction { return a.VCVTDQ2PS }))
}

// toRealPart puts a zero behind every element.
func toRealPart(a *assembler) func(in []operand.Mem) reg.Register {
	zero := zeroVector(a)
	if !a.wide {
		return func(in []operand.Mem) reg.Register {
			x, result := a.vector(), a.vector()
			a.VMOVDQU(in[0], x.AsX())
			a.VPERMQ(operand.U8(0x10), x, x)
			a.VPBLENDD(operand.U8(0xcc), zero, x, result)
			return result
		}
	}
	realLanes, places := a.realLanes(), a.loaded(a.table("everyOneTwice", 0, 0, 1, 1, 2, 2, 3, 3))
	return func(in []operand.Mem) reg.Register {
		x, result := a.vector(), a.vector()
		a.VMOVDQU32(in[0], x.AsY())
		a.VPERMQ_Z(x, places, realLanes, result)
		return result
	}
}
