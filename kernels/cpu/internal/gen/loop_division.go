package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// quotients are the loops of quotients of integers rounded down, and of what is left. Those of 8 and 16 bits are divided as float32,
// those of 32 bits as float64: the quotient x/y of such integers is at least 1/|y| from the next integer, if it is none, which is more
// than it is rounded by, |x/y|·2⁻²⁴ or |x/y|·2⁻⁵³. Those of int64 are divided twice, as float64. What is divided by zero becomes 0.
func quotients() (all []loop) {
	for _, d := range []string{"int8", "uint8", "int16", "uint16", "int32", "uint32"} {
		for _, operator := range []string{"floor_divide", "remainder"} {
			all = append(all, sameSize(operator, []string{d}, 2, d == "uint32", dividing(d, operator == "remainder")))
		}
	}
	return append(all, sameSize("floor_divide", []string{"int64"}, 2, true, dividingTwice(false)), sameSize("remainder", []string{"int64"}, 2, true, dividingTwice(true)))
}

// dividingTwice divides, as float64, what the first quotient leaves over again: of the numbers that fit it is wrong by
// less than 2¹² and one more. What the second one leaves over is thus right, or by one divisor off, since a quotient
// that is nearly whole may be rounded to the next integer. What does not fit into 64 bits meanwhile is right again at
// the end.
func dividingTwice(rest bool) steps {
	return func(a *assembler) func(in []operand.Mem) reg.Register {
		zero, one := zeroVector(a).(vector), a.vector()
		a.VPTERNLOGQ(operand.U8(255), one, one, one)
		a.VPSUBQ(one, zero, one)
		return func(in []operand.Mem) reg.Register {
			left, y := a.loaded(in[0]), a.loaded(in[1])
			divisor := a.apply(a.VCVTQQ2PD, nil, y)
			var quotient vector
			for range 2 {
				part := a.apply(a.VCVTPD2QQ_RD_SAE, nil, a.divide(a.apply(a.VCVTQQ2PD, nil, left), divisor))
				left = a.apply(a.VPSUBQ, nil, a.apply(a.VPMULLQ, nil, part, y), left)
				if quotient == nil {
					quotient = part
				} else {
					quotient = a.apply(a.VPADDQ, nil, part, quotient)
				}
			}
			sign := a.apply(a.VPSRAQ, nil, operand.U8(63), y)
			size := a.apply(a.VPABSQ, nil, y)
			left = a.apply(a.VPSUBQ, nil, sign, a.xor(left, sign)) // as for a positive divisor
			less, more, isSome := a.K(), a.K(), a.K()
			a.VPCMPQ(operand.U8(1), zero, left, less)
			a.VPCMPUQ(operand.U8(5), size, left, more)
			a.KANDNB(more, less, more)
			a.VPTESTMQ(y, y, isSome)
			if rest {
				a.VPADDQ(size, left, less, left)
				a.VPSUBQ(size, left, more, left)
				return a.where(isSome, a.apply(a.VPSUBQ, nil, sign, a.xor(left, sign)))
			}
			a.VPSUBQ(one, quotient, less, quotient)
			a.VPADDQ(one, quotient, more, quotient)
			return a.where(isSome, quotient)
		}
	}
}

// dividing computes a vector in parts that fit into one as floats.
func dividing(d string, rest bool) steps {
	size, signed := sizeOf[d], d[0] == 'i'
	double := size == 4
	return func(a *assembler) func(in []operand.Mem) reg.Register {
		floats := *a
		floats.double = double
		zero, bytes := zeroVector(a).(vector), a.bytes() // of the part as words of 32 bits
		if double {
			bytes /= 2
		}
		return func(in []operand.Mem) reg.Register {
			var results []vector
			for at := 0; at < a.bytes(); at += bytes / 4 * size {
				x, y := a.words(in[0].Offset(at), bytes, size, signed), a.words(in[1].Offset(at), bytes, size, signed)
				divisor := floats.fromWords(y, signed)
				quotient := floats.roundedDown(floats.divide(floats.fromWords(x, signed), divisor))
				isSome := floats.compared(4, zero, divisor)
				result := a.registerOf(bytes)
				if !rest {
					a.toIntegers(double, 4, signed || !double)(floats.where(isSome, quotient), result)
				} else {
					whole := a.registerOf(bytes)
					a.toIntegers(double, 4, signed || !double)(quotient, whole)
					a.VPMULLD(y, whole, whole)
					a.VPSUBD(whole, x, result)
					result = a.wordsWhere(isSome, result, bytes)
				}
				if size < 4 {
					result = a.lowerParts(result, bytes, 4, size)
				}
				results = append(results, result)
			}
			return a.joined(results)
		}
	}
}

// words loads integers of so many bytes each as words of 32 bits, that fill so many bytes.
func (a *assembler) words(memory operand.Mem, bytes, size int, signed bool) vector {
	result := a.registerOf(bytes)
	switch {
	case size < 4:
		a.extending(size, 4, signed)(memory, result)
	case a.wide:
		a.VMOVDQU32(memory, result)
	default:
		a.VMOVDQU(memory, result)
	}
	return result
}

// fromWords makes floats of words of 32 bits: of the long ones, if the floats are long, which may be unsigned.
func (a *assembler) fromWords(x vector, signed bool) vector {
	if a.double && !signed {
		return a.apply(a.VCVTUDQ2PD, nil, x)
	}
	return a.apply(a.of(a.VCVTDQ2PS, a.VCVTDQ2PD), nil, x)
}

func (a *assembler) roundedDown(x vector) vector {
	const down = operand.U8(9)
	if a.wide {
		return a.apply(a.of(a.VRNDSCALEPS, a.VRNDSCALEPD), nil, down, x)
	}
	return a.apply(a.of(ofThree(a.VROUNDPS), ofThree(a.VROUNDPD)), nil, down, x)
}

// wordsWhere is the words of x, of so many bytes, where the mask of as many floats is set, and zero elsewhere.
func (a *assembler) wordsWhere(mask reg.Register, x vector, bytes int) vector {
	result := a.registerOf(bytes)
	switch {
	case a.wide:
		a.VMOVDQA32_Z(x, mask, result)
	case bytes == a.bytes():
		a.VPAND(mask, x, result)
	default:
		a.VPAND(a.lowerParts(mask.(vector), a.bytes(), 8, 4), x, result)
	}
	return result
}

// joined is the vector of two or four parts one after the other.
func (a *assembler) joined(parts []vector) vector {
	for i := 0; len(parts) == 4 && !a.wide && i < 2; i++ {
		a.VPUNPCKLQDQ(parts[2*i+1], parts[2*i], parts[2*i])
	}
	switch {
	case len(parts) == 2:
	case !a.wide:
		parts = []vector{parts[0], parts[2]}
	default:
		for i := 0; i < 4; i += 2 {
			a.VINSERTI128(operand.U8(1), parts[i+1], parts[i].AsY(), parts[i].AsY())
		}
		parts = []vector{parts[0], parts[2]}
	}
	result := a.vector()
	if a.wide {
		a.VINSERTI64X4(operand.U8(1), parts[1].AsY(), parts[0].AsZ(), result)
	} else {
		a.VINSERTI128(operand.U8(1), parts[1].AsX(), parts[0].AsY(), result)
	}
	return result
}
