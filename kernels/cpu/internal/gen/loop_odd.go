package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// oddLoops is the table of loops that round to float32 so that another rounding, to fewer bits, is as good as one of
// the number: what lies between two float32 numbers becomes the one whose last bit is set. They are steps of casts to
// halves.
func oddLoops() []loop {
	odd := func(from string, narrow, wide steps) loop {
		return loop{operator: "odd", dtypes: []string{from}, sizes: []int{4, sizeOf[from]}, narrow: narrow, wide: wide}
	}
	oddOfInt32s := truncatedToSingles(func(a *assembler) (there, back instruction) { return a.VCVTDQ2PS_RZ_SAE, a.VCVTTPS2DQ })
	oddOfInt64s := truncatedToDoubles(func(a *assembler) (there, back instruction) { return a.VCVTQQ2PD_RZ_SAE, a.VCVTTPD2QQ })
	loops := []loop{
		casting("float64", "float16", thenHalf("float16", joinedDoubles), thenHalf("float16", oddOfDoubles)),
		casting("float64", "bfloat16", roundedToBFloat16, thenHalf("bfloat16", oddOfDoubles)),
		odd("float64", oddOfDoubles, oddOfDoubles),
		odd("uint32", nil, truncatedToSingles(func(a *assembler) (there, back instruction) { return a.VCVTUDQ2PS_RZ_SAE, a.VCVTTPS2UDQ })),
		odd("uint64", nil, truncatedToDoubles(func(a *assembler) (there, back instruction) { return a.VCVTUQQ2PD_RZ_SAE, a.VCVTTPD2UQQ })),
	}
	for _, half := range []string{"float16", "bfloat16"} {
		loops = append(loops, casting("int32", half, thenHalf(half, joinedInt32s), thenHalf(half, oddOfInt32s)))
		loops = append(loops, casting("int64", half, thenHalf(half, joinedInt64s), thenHalf(half, oddOfInt64s)))
	}
	return loops
}

// thenHalf rounds the float32 numbers that a loop gives to float16 or bfloat16.
func thenHalf(d string, odd steps) steps {
	return func(a *assembler) func(in []operand.Mem) reg.Register {
		singles := *a
		singles.double = false
		compute, narrowed := odd(a), singles.toHalves(d)
		return func(in []operand.Mem) reg.Register {
			x := compute(in).(vector)
			bytes := int(x.Size())
			if a.wide {
				x = x.AsZ().(vector) // the upper half of which is zero if it is one of YMM
			} else {
				x = x.AsY().(vector)
			}
			if result := narrowed(x); bytes < a.bytes() || !a.wide {
				return result.AsX()
			} else {
				return result
			}
		}
	}
}

func oddOfDoubles(a *assembler) func(in []operand.Mem) reg.Register {
	round := a.oddRounding()
	return func(in []operand.Mem) reg.Register { return round(a.loaded(in[0])) }
}

// oddRounding returns what rounds float64 to half a vector of float32. Wide vectors are truncated, and others to the nearest numbers, from
// those that are further from zero than the number one is subtracted.
func (a *assembler) oddRounding() func(x vector) vector {
	singles := *a
	singles.double = false
	one := singles.spread(singles.bits(1))
	const notEqual, greater = 12, 30 // neither of which NaN is
	return func(x vector) vector {
		back := a.vector()
		if a.wide {
			y := a.YMM()
			a.VCVTPD2PS_RZ_SAE(x, y)
			a.VCVTPS2PD(y, back)
			a.VPORD(one.AsY(), y, a.compared(notEqual, back, x), y)
			return y
		}
		magnitude := a.bits(1<<63 - 1)
		y := a.XMM()
		a.VCVTPD2PSY(x, y)
		a.VCVTPS2PD(y, back)
		inexact := a.lowerHalves(a.compared(notEqual, back, x).(vector))
		beyond := a.lowerHalves(a.compared(greater, a.and(x, magnitude), a.and(back, magnitude)).(vector))
		a.VPADDD(beyond, y, y)
		a.VPAND(one.AsX(), inexact, inexact)
		a.VPOR(inexact, y, y)
		return y
	}
}

// lowerHalves is the lower half of each of four quadwords.
func (a *assembler) lowerHalves(x vector) vector {
	high, result := a.XMM(), a.XMM()
	a.VEXTRACTI128(operand.U8(1), x, high)
	a.VSHUFPS(operand.U8(0x88), high, x.AsX(), result)
	return result
}

// truncatedToSingles sets the last bit of what is not the same there and back.
func truncatedToSingles(conversions func(a *assembler) (there, back instruction)) steps {
	return func(a *assembler) func(in []operand.Mem) reg.Register {
		there, back := conversions(a)
		one := a.spread(a.bits(1))
		return func(in []operand.Mem) reg.Register {
			x := a.loaded(in[0])
			return a.markedIfOther(x, a.apply(there, nil, x), back, one)
		}
	}
}

// truncatedToDoubles does so in float64, and rounds that.
func truncatedToDoubles(conversions func(a *assembler) (there, back instruction)) steps {
	return func(a *assembler) func(in []operand.Mem) reg.Register {
		there, back := conversions(a)
		one, round := a.spread(a.bits(1)), a.oddRounding()
		return func(in []operand.Mem) reg.Register {
			x := a.loaded(in[0])
			return round(a.markedIfOther(x, a.apply(there, nil, x), back, one))
		}
	}
}

// markedIfOther sets the last bit of floats that are not the integers of x.
func (a *assembler) markedIfOther(x, floats vector, back instruction, one vector) vector {
	const notEqual = operand.U8(4)
	other := a.K()
	a.of(a.VPCMPD, a.VPCMPQ)(notEqual, x, a.apply(back, nil, floats), other)
	a.of(a.VPORD, a.VPORQ)(one, floats, other, floats)
	return floats
}
