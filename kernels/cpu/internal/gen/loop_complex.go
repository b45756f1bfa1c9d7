package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// complexProduct is a loop of products of complex numbers, each product and each sum of which is rounded; with one operand of
// squares. The parts of x meet the real parts of y, and, exchanged, the imaginary ones; the second products are subtracted from the
// first in the real parts and added in the imaginary ones.
func complexProduct(operator, d string, operands int) loop {
	double := d == "complex128"
	of := func(single, double2 instruction) instruction {
		if double {
			return double2
		}
		return single
	}
	return sameSize(operator, []string{d}, operands, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		var realLanes reg.Register
		if a.wide {
			realLanes = a.realLanes()
		}
		return func(in []operand.Mem) reg.Register {
			x, y := a.loaded(in[0]), in[len(in)-1]
			re, im, exchanged := a.vector(), a.vector(), a.vector()
			if double {
				a.VMOVDDUP(y, re)
				a.VPERMILPD(operand.U8(0xFF), y, im)
				a.VPERMILPD(operand.U8(0x55), x, exchanged)
			} else {
				a.VMOVSLDUP(y, re)
				a.VMOVSHDUP(y, im)
				a.VPERMILPS(operand.U8(0xB1), x, exchanged)
			}
			multiply := of(a.VMULPS, a.VMULPD)
			first, second := a.apply(multiply, nil, re, x), a.apply(multiply, nil, im, exchanged)
			if !a.wide {
				return a.apply(of(ofThree(a.VADDSUBPS), ofThree(a.VADDSUBPD)), nil, second, first)
			}
			result := a.apply(of(a.VADDPS, a.VADDPD), nil, second, first)
			of(a.VSUBPS, a.VSUBPD)(second, first, realLanes, result)
			return result
		}
	})
}

// realLanes is the mask of the real parts.
func (a *assembler) realLanes() reg.Register {
	bits, mask := a.GP32(), a.K()
	a.MOVL(operand.U32(0x5555), bits)
	a.KMOVW(bits, mask)
	return mask
}

// complexOfParts is a loop that puts the second operand behind the first, element by element.
func complexOfParts(d string, body steps) loop {
	size := sizeOf[d]
	return loop{operator: "complex", dtypes: []string{d}, sizes: []int{2 * size, size, size}, narrow: body, wide: body}
}

func partsOf32(a *assembler) func(in []operand.Mem) reg.Register {
	return func(in []operand.Mem) reg.Register {
		re, im := a.vector(), a.vector()
		a.VPMOVZXDQ(in[0], re)
		a.VPMOVZXDQ(in[1], im)
		return a.or(re, a.shiftLeft(im, 32))
	}
}

func partsOf64(a *assembler) func(in []operand.Mem) reg.Register {
	if !a.wide {
		return func(in []operand.Mem) reg.Register {
			re, low, high, result := a.XMM(), a.XMM(), a.XMM(), a.YMM()
			a.VMOVDQU(in[0], re)
			a.VPUNPCKLQDQ(in[1], re, low)
			a.VPUNPCKHQDQ(in[1], re, high)
			a.VINSERTI128(operand.U8(1), high, low.AsY(), result)
			return result
		}
	}
	realLanes, imaginaryLanes, places := a.realLanes(), a.K(), a.loaded(a.table("everyOneTwice", 0, 0, 1, 1, 2, 2, 3, 3))
	a.KNOTW(realLanes, imaginaryLanes)
	return func(in []operand.Mem) reg.Register {
		re, im, result := a.YMM(), a.YMM(), a.vector()
		a.VMOVDQU32(in[0], re)
		a.VMOVDQU32(in[1], im)
		a.VPERMQ_Z(re.AsZ(), places, realLanes, result)
		a.VPERMQ(im.AsZ(), places, imaginaryLanes, result)
		return result
	}
}

func conjugate(a *assembler) func(in []operand.Mem) reg.Register {
	signs := a.loaded(a.imaginarySigns())
	return func(in []operand.Mem) reg.Register { return a.xor(a.loaded(in[0]), signs) }
}

// imaginarySigns is a vector of the signs of imaginary parts in float64.
func (a *assembler) imaginarySigns() operand.Mem {
	return a.table("imaginarySigns", 0, 1<<63, 0, 1<<63, 0, 1<<63, 0, 1<<63)
}

// complexLoops is the table of loops on complex numbers that are not loops on their parts.
var complexLoops = []loop{
	complexOfParts("float32", partsOf32), complexOfParts("float64", partsOf64),
	sameSize("conj", []string{"complex128"}, 1, false, conjugate),
	complexProduct("mul", "complex64", 2), complexProduct("mul", "complex128", 2),
	complexProduct("square", "complex64", 1), complexProduct("square", "complex128", 1),
	ofParts("abs", "complex64", magnitudeOfParts), ofParts("abs", "complex128", magnitudeOfParts),
	ofParts("angle", "complex64", argumentOfParts), ofParts("angle", "complex128", argumentOfParts),
}
