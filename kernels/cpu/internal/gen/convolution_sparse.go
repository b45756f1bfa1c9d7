package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The offsets of the fields of the blend of package convolution, in bytes.
const (
	blendPlaces = 8 * iota
	blendFactors
	blendCount
	blendLines
	blendSums
	blendAdds
)

// blendLengths are the numbers of chunks of 64 bytes that there is a blend for.
func (a *assembler) blendLengths() []int {
	if a.wide {
		return []int{1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20}
	}
	return []int{1, 2, 3, 4, 6}
}

// blends writes the kernels of sums of some lines that are chosen by their places, each times a factor, and their table.
func (a *assembler) blends() {
	var table strings.Builder
	for _, length := range a.blendLengths() {
		name := fmt.Sprintf("%sBlend%d", a.elementName(), length)
		a.blend(name, length)
		fmt.Fprintf(&table, "\t{%d, %s},\n", length, name+a.suffix())
	}
	a.file.appendix += fmt.Sprintf("\n// %sBlends has the kernels of blends by their lengths.\nvar %[1]sBlends = []blendKernel{\n%s}\n", a.elementName()+a.suffix(), table.String())
}

func (a *assembler) blend(name string, length int) {
	a.begin(name, "blend *byte", fmt.Sprintf("adds up %d bytes of lines.", 64*length))
	blend := a.Load(a.Param("blend"), a.GP64())
	get := func(offset int) reg.GPVirtual {
		register := a.GP64()
		a.MOVQ(operand.Mem{Base: blend, Disp: offset}, register)
		return register
	}
	places, factors, count, lines, to, adds := get(blendPlaces), get(blendFactors), get(blendCount), get(blendLines), get(blendSums), get(blendAdds)
	fused, move, add := a.of(a.VFMADD231PS, a.VFMADD231PD), a.of(a.VMOVUPS, a.VMOVUPD), a.of(a.VADDPS, a.VADDPD)
	sums := a.zeros(1, length*64/a.bytes())[0]
	at := func(base, index reg.Register, j int) operand.Mem {
		m := operand.Mem{Base: base, Disp: j * a.bytes()}
		if index != nil {
			m.Index, m.Scale = index, 1
		}
		return m
	}
	a.TESTQ(count, count)
	a.JZ(operand.LabelRef("sums"))
	a.Label("term")
	place := a.GP64()
	a.MOVL(operand.Mem{Base: places}, place.As32())
	factor := a.spread(operand.Mem{Base: factors})
	for j, sum := range sums {
		fused(at(lines, place, j), factor, sum)
	}
	a.ADDQ(operand.U32(4), places)
	a.ADDQ(operand.U32(a.elementBytes()), factors)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("term"))
	a.Label("sums")
	a.TESTQ(adds, adds)
	a.JZ(operand.LabelRef("store"))
	for j, sum := range sums {
		add(at(to, nil, j), sum, sum)
	}
	a.Label("store")
	for j, sum := range sums {
		move(sum, at(to, nil, j))
	}
	a.VZEROUPPER()
	a.RET()
}

// packTerms writes a function that packs the elements that are not zero, and what a table has at their indices. It ends before an index
// that is too large, but for −1, of which the element counts as zero. All are whole vectors.
func (a *assembler) packTerms() {
	a.begin(a.elementName()+"Pack", "factors, elements *byte, places, table, indices *uint32, count int, length int) (chosen, done int",
		"packs the elements that are not zero, and what table has at their indices.")
	get := func(name string) reg.GPVirtual { return a.Load(a.Param(name), a.GP64()).(reg.GPVirtual) }
	factors, elements, places, table, indices := get("factors"), get("elements"), get("places"), get("table"), get("indices")
	count, length := get("count"), get("length")
	lanes := a.bytes() / a.elementBytes()
	move := a.of(a.VMOVUPS, a.VMOVUPD)
	narrow := a.vector()
	if a.double {
		narrow = a.half()
	}
	index, none, limit, found := narrow, a.likewise(narrow), a.likewise(narrow), a.likewise(narrow)
	chosen, done, bits := a.GP64(), a.GP64(), a.GP64()
	element, zero := a.vector(), a.zeros(1, 1)[0][0]
	there, outside, some := a.K(), a.K(), a.K()
	a.XORQ(chosen, chosen)
	a.XORQ(done, done)
	a.VPTERNLOGD(operand.U8(255), none, none, none)
	a.VPBROADCASTD(length.As32(), limit)
	a.Label("vector")
	a.CMPQ(done, count)
	a.JGE(operand.LabelRef("end"))
	a.VMOVDQU32(operand.Mem{Base: indices, Index: done, Scale: 4}, index)
	a.VPCMPUD(operand.U8(5), limit, index, outside) // not less than
	a.VPCMPD(operand.U8(4), none, index, there)
	a.KANDW(there, outside, some)
	a.KORTESTW(some, some)
	a.JNZ(operand.LabelRef("end"))
	move(operand.Mem{Base: elements, Index: done, Scale: uint8(a.elementBytes())}, element)
	a.of(a.VCMPPS, a.VCMPPD)(operand.U8(4), zero, element, there, some) // not equal, or not comparable
	a.KMOVW(some, bits.As32())
	a.KMOVW(some, outside)
	a.VPXORD(found, found, found)
	a.VPGATHERDD(operand.Mem{Base: table, Index: index, Scale: 4}, outside, found)
	a.VPCOMPRESSD_Z(found, some, found)
	a.of(ofThree(a.VCOMPRESSPS_Z), ofThree(a.VCOMPRESSPD_Z))(element, some, element)
	a.VMOVDQU32(found, operand.Mem{Base: places, Index: chosen, Scale: 4})
	move(element, operand.Mem{Base: factors, Index: chosen, Scale: uint8(a.elementBytes())})
	a.POPCNTQ(bits, bits)
	a.ADDQ(bits, chosen)
	a.ADDQ(operand.U32(lanes), done)
	a.JMP(operand.LabelRef("vector"))
	a.Label("end")
	a.Store(chosen, a.ReturnIndex(0))
	a.Store(done, a.ReturnIndex(1))
	a.VZEROUPPER()
	a.RET()
}

// likewise returns another vector as long as one.
func (a *assembler) likewise(v vector) vector {
	if v.Size() == 32 {
		return a.YMM()
	}
	return a.ZMM()
}

// mergeRows writes a function that adds rows of elements to others.
func (a *assembler) mergeRows() {
	a.begin(a.elementName()+"MergeRows", "dst, src *byte, dstStep, srcStep, count, rows int", "adds rows of elements to others; rows lie so many bytes apart.")
	a.eachVectorOfRows("count", a.elementBytes(), func(v vector, there operand.Mem, read func(from operand.Mem, into vector)) {
		old := a.vector()
		read(there, old)
		a.of(a.VADDPS, a.VADDPD)(v, old, v)
	})
}
