package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// writeScans writes cumulative extremes. AVX2 has no order of whole lanes.
func writeScans(f *file) {
	for _, kind := range []string{"Float32", "Float64", "Int64", "Uint64"} {
		for _, largest := range []bool{true, false} {
			a := &assembler{Context: f.context, file: f, wide: true, double: kind != "Float32"}
			a.cumulativeExtreme(kind, largest)
		}
	}
}

// cumulativeExtreme writes the loop for elements of a kind. Floats are compared as the integers that have their order; the lanes of a
// vector take those one, two, four and eight before them.
func (a *assembler) cumulativeExtreme(kind string, largest bool) {
	name, instructions := "cumulativeMin", map[string]instruction{"Float32": a.VPMINSD, "Float64": a.VPMINSQ, "Int64": a.VPMINSQ, "Uint64": a.VPMINUQ}
	if largest {
		name, instructions = "cumulativeMax", map[string]instruction{"Float32": a.VPMAXSD, "Float64": a.VPMAXSQ, "Int64": a.VPMAXSQ, "Uint64": a.VPMAXUQ}
	}
	join := instructions[kind]
	a.begin(name+kind, "x *byte, count int) (done int",
		"replaces each of count elements of x by the extreme of those up to it. It stops where fewer than a whole vector of",
		"elements is left, or a vector has a NaN, and returns how many it has done.")
	x, count, done := a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("count"), a.GP64()), a.GP64()
	lanes, permute := 1<<a.laneBits(), a.of(a.VPERMD, a.VPERMQ)
	order := func(from func(lane int) int) vector {
		numbers := make([]uint64, 8)
		for lane := range lanes {
			if a.double {
				numbers[lane] = uint64(from(lane))
			} else {
				numbers[lane/2] |= uint64(from(lane)) << (lane % 2 * 32)
			}
		}
		v := a.ZMM()
		a.VMOVDQU64(a.table(fmt.Sprintf("scanOrder%dOf%d", from(lanes-1), lanes), numbers...), v)
		return v
	}
	var orders []vector
	for step := 1; step < lanes; step *= 2 {
		orders = append(orders, order(func(lane int) int {
			if lane < step {
				return lane
			}
			return lane - step
		}))
	}
	last := order(func(int) int { return lanes - 1 })
	isFloat := kind[0] == 'F'
	ordered := func(v vector) {
		if isFloat {
			sign := a.ZMM()
			a.of(a.VPSRAD, a.VPSRAQ)(operand.U8(512/lanes-1), v, sign)
			a.of(a.VPSRLD, a.VPSRLQ)(operand.U8(1), sign, sign)
			a.VPXORQ(sign, v, v)
		}
	}
	before := a.ZMM()
	a.XORQ(done, done)
	a.SUBQ(operand.U8(uint8(lanes)), count)
	a.of(a.VPBROADCASTD, a.VPBROADCASTQ)(operand.Mem{Base: x}, before)
	ordered(before)
	a.Label("next")
	a.CMPQ(done, count)
	a.JGT(operand.LabelRef("done"))
	place := operand.Mem{Base: x, Index: done, Scale: uint8(64 / lanes)}
	v, moved := a.ZMM(), a.ZMM()
	a.VMOVDQU64(place, v)
	if isFloat {
		unordered := a.K()
		a.of(a.VCMPPS, a.VCMPPD)(operand.U8(3), v, v, unordered)
		a.KORTESTW(unordered, unordered)
		a.JNZ(operand.LabelRef("done"))
	}
	ordered(v)
	for _, order := range orders {
		permute(v, order, moved)
		join(moved, v, v)
	}
	join(before, v, v)
	permute(v, last, before)
	ordered(v)
	a.VMOVDQU64(v, place)
	a.ADDQ(operand.U8(uint8(lanes)), done)
	a.JMP(operand.LabelRef("next"))
	a.Label("done")
	a.VZEROUPPER()
	a.Store(done, a.ReturnIndex(0))
	a.RET()
}
