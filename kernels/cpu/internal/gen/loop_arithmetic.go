package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kinds are element types, some of which an instruction does not tell apart.
var (
	float32s = []string{"float32"}
	float64s = []string{"float64"}
	words8   = []string{"int8", "uint8"}
	words16  = []string{"int16", "uint16"}
	words32  = []string{"int32", "uint32"}
	words64  = []string{"int64", "uint64"}
)

var sizeOf = map[string]int{
	"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2, "int32": 4, "uint32": 4, "float32": 4,
	"int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16,
}

// pick returns an instruction of the assembler.
type pick func(a *assembler) instruction

// binaryLoop is a loop of one instruction. Where onlyWide is set, AVX2 has none.
func binaryLoop(operator string, dtypes []string, onlyWide bool, p pick) loop {
	return sameSize(operator, dtypes, 2, onlyWide, func(a *assembler) func(in []operand.Mem) reg.Register {
		return func(in []operand.Mem) reg.Register {
			return a.with(p(a), in[1], a.loaded(in[0]))
		}
	})
}

// unaryLoop is a loop of one instruction on one operand in memory, behind others that do not change.
func unaryLoop(operator string, dtypes []string, onlyWide bool, p pick, leading ...func(a *assembler) operand.Op) loop {
	return sameSize(operator, dtypes, 1, onlyWide, func(a *assembler) func(in []operand.Mem) reg.Register {
		operands := []operand.Op{}
		for _, l := range leading {
			operands = append(operands, l(a))
		}
		return func(in []operand.Mem) reg.Register {
			return a.with(p(a), in[0], operands...)
		}
	})
}

// with writes an instruction on memory: behind an immediate operand, or in front of a register.
func (a *assembler) with(write instruction, memory operand.Mem, others ...operand.Op) reg.Register {
	result := a.vector()
	operands := []operand.Op{memory}
	if a.source != "" {
		operands[0] = a.fromSource(memory)
	}
	for _, o := range others {
		if _, isRegister := o.(reg.Register); isRegister {
			operands = append(operands, o)
		} else {
			operands = append([]operand.Op{o}, operands...)
		}
	}
	write(append(operands, result)...)
	return result
}

// sameSize is a loop whose result has the element type of its operands.
func sameSize(operator string, dtypes []string, operands int, onlyWide bool, body steps) loop {
	l := loop{operator: operator, dtypes: dtypes, narrow: body, wide: body}
	for range 1 + operands {
		l.sizes = append(l.sizes, sizeOf[dtypes[0]])
	}
	if onlyWide {
		l.narrow = nil
	}
	return l
}

// loaded returns the vector in memory.
func (a *assembler) loaded(memory operand.Mem) vector {
	if a.source != "" {
		return a.fromSource(memory)
	}
	return a.loadFrom(memory)
}

// extremeLoop is the larger or the lesser of two floats: NaN where one is, and of zeros the positive or the negative one.
func extremeLoop(operator string, dtypes []string, larger bool) loop {
	return sameSize(operator, dtypes, 2, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		return func(in []operand.Mem) reg.Register { return a.extreme(larger, a.loaded(in[0]), a.loaded(in[1])) }
	})
}

// extreme takes the instruction both ways, since it gives its second operand for NaN and for zeros; joining the bits decides
// between zeros.
func (a *assembler) extreme(larger bool, x, y vector) vector {
	write, join := a.of(a.VMINPS, a.VMINPD), a.or
	if larger {
		write, join = a.of(a.VMAXPS, a.VMAXPD), a.and
	}
	result := join(a.apply(write, nil, y, x), a.apply(write, nil, x, y))
	unordered, sum := operand.U8(3), a.apply(a.of(a.VADDPS, a.VADDPD), nil, y, x)
	if a.wide {
		mask := a.K()
		a.of(a.VCMPPS, a.VCMPPD)(unordered, y, x, mask)
		a.of(a.VMOVDQA32, a.VMOVDQA64)(sum, mask, result)
		return result
	}
	mask, chosen := a.vector(), a.vector()
	a.of(a.VCMPPS, a.VCMPPD)(unordered, y, x, mask)
	a.VBLENDVPS(mask, sum, result, chosen)
	return chosen
}

// clampLoop is the lesser of the third operand and the larger of the others, which are floats.
func clampLoop(dtypes []string) loop {
	return sameSize("clamp", dtypes, 3, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		return func(in []operand.Mem) reg.Register {
			return a.extreme(false, a.extreme(true, a.loaded(in[0]), a.loaded(in[1])), a.loaded(in[2]))
		}
	})
}

// clampBetweenLoop is clampLoop for bounds that are not NaN, and a higher one that is no zero. Of equal numbers, and
// where one is NaN, the instructions give the element; -0 becomes 0 before, where the lower bound has no sign.
func clampBetweenLoop(dtypes []string, sign uint64) loop {
	return sameSize("clamp_between", dtypes, 3, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		return func(in []operand.Mem) reg.Register {
			low := a.loaded(in[1])
			x := a.add(a.loaded(in[0]), a.and(low, a.bits(sign)))
			x = a.apply(a.of(a.VMAXPS, a.VMAXPD), nil, x, low)
			return a.apply(a.of(a.VMINPS, a.VMINPD), nil, x, a.loaded(in[2]))
		}
	})
}

// onBits is a loop of an operation with a constant.
func onBits(operator string, dtypes []string, constant uint64, write func(a *assembler) func(x vector, y operand.Op) vector) loop {
	return sameSize(operator, dtypes, 1, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		return func(in []operand.Mem) reg.Register { return write(a)(a.loaded(in[0]), a.bits(constant)) }
	})
}

// signCopies is a loop that takes the bits of sign from the second operand, and all others from the first.
func signCopies(dtypes []string, sign, others uint64) loop {
	return sameSize("copysign", dtypes, 2, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		return func(in []operand.Mem) reg.Register {
			return a.or(a.and(a.loaded(in[0]), a.bits(others)), a.and(a.loaded(in[1]), a.bits(sign)))
		}
	})
}

// angleLoop is π where the sign is set, and else 0, but NaN of NaN.
func angleLoop(dtypes []string) loop {
	return sameSize("angle", dtypes, 1, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		pi := a.spread(a.bits(uint64(math.Float32bits(math.Pi))))
		if a.double {
			pi = a.spread(a.bits(math.Float64bits(math.Pi)))
		}
		zero := zeroVector(a).(vector)
		return func(in []operand.Mem) reg.Register {
			x, result := a.loaded(in[0]), a.vector()
			if a.wide {
				negative, unordered := a.K(), a.K()
				a.of(a.VPCMPD, a.VPCMPQ)(comparesAbove, x, zero, negative)
				a.of(a.VCMPPS, a.VCMPPD)(comparesUnordered, x, x, unordered)
				a.of(ofThree(a.VMOVDQA32_Z), ofThree(a.VMOVDQA64_Z))(pi, negative, result)
				a.of(a.VMOVDQA32, a.VMOVDQA64)(x, unordered, result)
				return result
			}
			negative, unordered := a.vector(), a.vector()
			a.of(a.VPCMPGTD, a.VPCMPGTQ)(x, zero, negative)
			a.of(a.VCMPPS, a.VCMPPD)(comparesUnordered, x, x, unordered)
			a.VBLENDVPS(unordered, x, a.and(pi, negative), result)
			return result
		}
	})
}

// positiveLoop is what is chosen of the last operand where the first is above zero, floats: by the way that the number says.
func positiveLoop(operator string, dtypes []string, operands int, way uint8) loop {
	return sameSize(operator, dtypes, operands, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		zero := zeroVector(a)
		return func(in []operand.Mem) reg.Register {
			x := a.loaded(in[0])
			chosen := x
			if operands == 2 {
				chosen = a.loaded(in[1])
			}
			if !a.wide {
				mask := a.vector()
				a.of(a.VCMPPS, a.VCMPPD)(operand.U8(way), zero, x, mask)
				return a.and(chosen, mask)
			}
			mask, result := a.K(), a.vector()
			a.of(a.VCMPPS, a.VCMPPD)(operand.U8(way), zero, x, mask)
			a.of(ofThree(a.VMOVDQA32_Z), ofThree(a.VMOVDQA64_Z))(chosen, mask, result)
			return result
		}
	})
}

// The ways of positiveLoop: not at most zero, which NaN is, and greater than zero.
const notLessEqual, greaterThan = 22, 30

// positiveHalves is positiveLoop, of two operands, for floats of two bytes whose infinity has the given bits: as integers, these are
// above zero and not above infinity.
func positiveHalves(operator, dtype string, infinity uint64) loop {
	return sameSize(operator, []string{dtype}, 2, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		zero, most := zeroVector(a), a.spread(a.bits(infinity<<16|infinity))
		return func(in []operand.Mem) reg.Register {
			y := a.loaded(in[0])
			if !a.wide {
				positive, beyond := a.vector(), a.vector()
				a.VPCMPGTW(zero, y, positive)
				a.VPCMPGTW(most, y, beyond)
				a.VPANDN(positive, beyond, positive)
				return a.and(a.loaded(in[1]), positive)
			}
			const lessEqual, greater = operand.U8(2), operand.U8(6)
			positive, number, result := a.K(), a.K(), a.vector()
			a.VPCMPW(greater, zero, y, positive)
			a.VPCMPW(lessEqual, most, y, positive, number)
			a.VMOVDQU16_Z(in[1], number, result)
			return result
		}
	})
}

func squares(dtypes []string, p pick) loop {
	return sameSize("square", dtypes, 1, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		return func(in []operand.Mem) reg.Register {
			x := a.loaded(in[0])
			return a.apply(p(a), nil, x, x)
		}
	})
}

// productOfWords64 is the product of words of 64 bits, for which AVX2 has no instruction: of their halves, three are within it.
func (a *assembler) productOfWords64(x, y vector) vector {
	if a.wide {
		return a.apply(a.VPMULLQ, nil, x, y)
	}
	half := operand.U8(32)
	high := func(x vector) vector { return a.apply(a.VPSRLQ, nil, half, x) }
	mixed := a.apply(a.VPADDQ, nil, a.apply(a.VPMULUDQ, nil, high(x), y), a.apply(a.VPMULUDQ, nil, x, high(y)))
	return a.apply(a.VPADDQ, nil, a.apply(a.VPSLLQ, nil, half, mixed), a.apply(a.VPMULUDQ, nil, x, y))
}

// signsOfWords64 is all bits of negative words of 64 bits, by AVX2.
func (a *assembler) signsOfWords64(zero operand.Op, x vector) vector {
	return a.apply(a.VPCMPGTQ, nil, x, zero)
}

func magnitudesOfWords64(a *assembler) func(in []operand.Mem) reg.Register {
	if a.wide {
		return func(in []operand.Mem) reg.Register { return a.with(a.VPABSQ, in[0]) }
	}
	zero := zeroVector(a)
	return func(in []operand.Mem) reg.Register {
		x := a.loaded(in[0])
		signs := a.signsOfWords64(zero, x)
		return a.apply(a.VPSUBQ, nil, signs, a.xor(x, signs))
	}
}

// rounding is a loop that rounds to integers, in the way that the number says.
func rounding(operator string, way uint8) []loop {
	choose := func(a *assembler) instruction {
		if a.wide {
			return a.of(a.VRNDSCALEPS, a.VRNDSCALEPD)
		}
		return a.of(ofThree(a.VROUNDPS), ofThree(a.VROUNDPD))
	}
	immediate := func(a *assembler) operand.Op { return operand.U8(way) }
	adapted := func(a *assembler) instruction {
		if a.wide {
			return choose(a)
		}
		return func(operands ...operand.Op) {
			if a.double {
				a.VROUNDPD(operands[0], operands[1], operands[2])
			} else {
				a.VROUNDPS(operands[0], operands[1], operands[2])
			}
		}
	}
	return []loop{unaryLoop(operator, float32s, false, adapted, immediate), unaryLoop(operator, float64s, false, adapted, immediate)}
}

func zeroVector(a *assembler) operand.Op {
	zero := a.vector()
	if a.wide {
		a.VPXORD(zero, zero, zero)
	} else {
		a.VPXOR(zero, zero, zero)
	}
	return zero
}

func oneVector(a *assembler) operand.Op { return a.spread(a.number(1)) }

// arithmeticLoops is the table of loops whose result has the element type of the operands.
var arithmeticLoops = slicesOf(
	[]loop{
		binaryLoop("add", float32s, false, func(a *assembler) instruction { return a.VADDPS }),
		binaryLoop("add", float64s, false, func(a *assembler) instruction { return a.VADDPD }),
		binaryLoop("add", words8, false, func(a *assembler) instruction { return a.VPADDB }),
		binaryLoop("add", words16, false, func(a *assembler) instruction { return a.VPADDW }),
		binaryLoop("add", words32, false, func(a *assembler) instruction { return a.VPADDD }),
		binaryLoop("add", words64, false, func(a *assembler) instruction { return a.VPADDQ }),
		binaryLoop("sub", float32s, false, func(a *assembler) instruction { return a.VSUBPS }),
		binaryLoop("sub", float64s, false, func(a *assembler) instruction { return a.VSUBPD }),
		binaryLoop("sub", words8, false, func(a *assembler) instruction { return a.VPSUBB }),
		binaryLoop("sub", words16, false, func(a *assembler) instruction { return a.VPSUBW }),
		binaryLoop("sub", words32, false, func(a *assembler) instruction { return a.VPSUBD }),
		binaryLoop("sub", words64, false, func(a *assembler) instruction { return a.VPSUBQ }),
		binaryLoop("mul", float32s, false, func(a *assembler) instruction { return a.VMULPS }),
		binaryLoop("mul", float64s, false, func(a *assembler) instruction { return a.VMULPD }),
		bytesMultiplied("mul", 2), bytesMultiplied("square", 1),
		binaryLoop("mul", words16, false, func(a *assembler) instruction { return a.VPMULLW }),
		binaryLoop("mul", words32, false, func(a *assembler) instruction { return a.VPMULLD }),
		sameSize("mul", words64, 2, false, func(a *assembler) func(in []operand.Mem) reg.Register {
			return func(in []operand.Mem) reg.Register { return a.productOfWords64(a.loaded(in[0]), a.loaded(in[1])) }
		}),
		binaryLoop("div", float32s, false, func(a *assembler) instruction { return a.VDIVPS }),
		binaryLoop("div", float64s, false, func(a *assembler) instruction { return a.VDIVPD }),
		extremeLoop("maximum", float32s, true), extremeLoop("maximum", float64s, true),
		extremeLoop("minimum", float32s, false), extremeLoop("minimum", float64s, false),
		clampLoop(float32s), clampLoop(float64s), clampBetweenLoop(float32s, 1<<31), clampBetweenLoop(float64s, 1<<63),
		positiveLoop("relu", float32s, 1, notLessEqual), positiveLoop("relu", float64s, 1, notLessEqual),
		unaryLoop("relu", []string{"int8"}, false, func(a *assembler) instruction { return a.VPMAXSB }, zeroVector),
		unaryLoop("relu", []string{"int16"}, false, func(a *assembler) instruction { return a.VPMAXSW }, zeroVector),
		unaryLoop("relu", []string{"int32"}, false, func(a *assembler) instruction { return a.VPMAXSD }, zeroVector),
		unaryLoop("relu", []string{"int64"}, true, func(a *assembler) instruction { return a.VPMAXSQ }, zeroVector),
		positiveLoop("relu_gradient", float32s, 2, greaterThan), positiveLoop("relu_gradient", float64s, 2, greaterThan),
		positiveHalves("relu_gradient", "float16", 0x7c00), positiveHalves("relu_gradient", "bfloat16", 0x7f80),
		onBits("neg", float32s, 1<<31, func(a *assembler) func(vector, operand.Op) vector { return a.xor }),
		onBits("neg", float64s, 1<<63, func(a *assembler) func(vector, operand.Op) vector { return a.xor }),
		unaryLoop("neg", words8, false, func(a *assembler) instruction { return a.VPSUBB }, zeroVector),
		unaryLoop("neg", words16, false, func(a *assembler) instruction { return a.VPSUBW }, zeroVector),
		unaryLoop("neg", words32, false, func(a *assembler) instruction { return a.VPSUBD }, zeroVector),
		unaryLoop("neg", words64, false, func(a *assembler) instruction { return a.VPSUBQ }, zeroVector),
		onBits("neg", []string{"float16", "bfloat16"}, 0x80008000, func(a *assembler) func(vector, operand.Op) vector { return a.xor }),
		onBits("abs", []string{"float16", "bfloat16"}, 0x7fff7fff, func(a *assembler) func(vector, operand.Op) vector { return a.and }),
		onBits("abs", float32s, math.MaxInt32, func(a *assembler) func(vector, operand.Op) vector { return a.and }),
		onBits("abs", float64s, math.MaxInt64, func(a *assembler) func(vector, operand.Op) vector { return a.and }),
		unaryLoop("abs", []string{"int8"}, false, func(a *assembler) instruction { return a.VPABSB }),
		unaryLoop("abs", []string{"int16"}, false, func(a *assembler) instruction { return a.VPABSW }),
		unaryLoop("abs", []string{"int32"}, false, func(a *assembler) instruction { return a.VPABSD }),
		sameSize("abs", []string{"int64"}, 1, false, magnitudesOfWords64),
		signCopies([]string{"float16", "bfloat16"}, 0x80008000, 0x7fff7fff), signCopies(float32s, 1<<31, math.MaxInt32), signCopies(float64s, 1<<63, math.MaxInt64),
		angleLoop(float32s), angleLoop(float64s),
		squares(float32s, func(a *assembler) instruction { return a.VMULPS }),
		squares(float64s, func(a *assembler) instruction { return a.VMULPD }),
		squares(words16, func(a *assembler) instruction { return a.VPMULLW }),
		squares(words32, func(a *assembler) instruction { return a.VPMULLD }),
		sameSize("square", words64, 1, false, func(a *assembler) func(in []operand.Mem) reg.Register {
			return func(in []operand.Mem) reg.Register {
				x := a.loaded(in[0])
				return a.productOfWords64(x, x)
			}
		}),
		unaryLoop("reciprocal", float32s, false, func(a *assembler) instruction { return a.VDIVPS }, oneVector),
		unaryLoop("reciprocal", float64s, false, func(a *assembler) instruction { return a.VDIVPD }, oneVector),
	},
	extremesOfWords(), signLoops(),
	rounding("round", 8), rounding("floor", 9), rounding("ceil", 10), rounding("trunc", 11),
	moves(),
)

func slicesOf(lists ...[]loop) (all []loop) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}
