package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// halvesLoops is the table of loops on float16 and bfloat16 that compute in float32 what the same loops on that do, and round once.
var halvesLoops = slicesOf(
	onHalves(arithmeticLoops, "add", "sub", "mul", "div", "maximum", "minimum", "clamp", "square", "reciprocal", "relu", "angle", "round", "floor", "ceil", "trunc"),
	onHalves([]loop{rootLoop("sqrt", squareRoot), rootLoop("rsqrt", inverseRoot)}, "sqrt", "rsqrt"),
)

var halfTypes = []string{"float16", "bfloat16"}

// rootLoop is a function of float32 as a loop, for loops on halves alone: float32 has it among the vector functions.
func rootLoop(operator string, function func(c code, x value) value) loop {
	return sameSize(operator, float32s, 1, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		return func(in []operand.Mem) reg.Register { return function(lanes{a}, a.loaded(in[0])).(vector) }
	})
}

// onHalves makes loops on both types of halves of those on float32 of these operators.
func onHalves(loops []loop, operators ...string) (all []loop) {
	for _, operator := range operators {
		for _, l := range loops {
			if l.operator != operator || l.dtypes[0] != "float32" {
				continue
			}
			for _, d := range halfTypes {
				h := loop{operator: operator, dtypes: []string{d}, narrow: inFloat32(d, l.narrow), wide: inFloat32(d, l.wide)}
				for range l.sizes {
					h.sizes = append(h.sizes, sizeOf[d])
				}
				all = append(all, h)
			}
		}
	}
	return all
}

// inFloat32 is the steps of a loop on halves: those on float32, for both halves of a vector.
func inFloat32(d string, of steps) steps {
	return func(a *assembler) func(in []operand.Mem) reg.Register {
		narrowed := a.toHalves(d)
		compute := of(a)
		return func(in []operand.Mem) reg.Register {
			a.source = d
			low := compute(in)
			behind := make([]operand.Mem, len(in))
			for i, m := range in {
				behind[i] = m.Offset(a.bytes() / 2)
			}
			high := compute(behind)
			a.source = ""
			return a.joined([]vector{narrowed(low.(vector)), narrowed(high.(vector))})
		}
	}
}

// toHalves returns what rounds float32 to half a vector of float16 or bfloat16.
func (a *assembler) toHalves(d string) func(x vector) vector {
	if d == "bfloat16" {
		return roundToBFloat16(a)
	}
	return func(x vector) vector {
		result := a.registerOf(a.bytes() / 2)
		a.VCVTPS2PH(operand.U8(0), x, result) // to the nearest, ties to even
		return result
	}
}
