package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeDeviations writes the sums of the squared distances from means.
func writeDeviations(a *assembler) {
	element := a.elementName()
	a.begin("deviations"+exported(element), "dst, x, means *"+element+", stride, rows, width int",
		"sums the squares of the distances from means of rows of width elements, at least a vector, that are stride bytes apart.")
	dst, x, means := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("means"), a.GP64())
	columns := columnLoop{a, dst, x, a.Load(a.Param("width"), a.GP64()), []reg.Register{means}}
	stride, rows := a.Load(a.Param("stride"), a.GP64()), a.Load(a.Param("rows"), a.GP64())
	columns.write(4, func(label string, vectors int) {
		centers, sums := make([]vector, vectors), make([][]reg.Register, vectors)
		folds := make([]total, vectors)
		for i := range sums {
			centers[i] = a.loadMemory(operand.Mem{Base: means, Disp: i * a.bytes()})
			folds[i] = squaredDistances(centers[i])
			sums[i] = folds[i].begin(a, operand.Mem{Base: x, Disp: i * a.bytes()})
		}
		a.eachRow(label, x, stride, rows, func(at reg.Register) {
			for i := range sums {
				folds[i].step(a, sums[i], operand.Mem{Base: at, Disp: i * a.bytes()})
			}
		})
		for i, sum := range sums {
			a.of(a.VMOVUPS, a.VMOVUPD)(sum[0], operand.Mem{Base: dst, Disp: i * a.bytes()})
		}
	})
}

func squaredDistances(center vector) total {
	return summing("", func(a *assembler, x operand.Mem) reg.Register {
		v := a.loadMemory(x)
		a.of(a.VSUBPS, a.VSUBPD)(center, v, v)
		return a.multiply(v, v)
	}, false)
}

// writeMoments writes the sums of leaves and, while a leaf is in the cache, those of the squared distances from its mean.
func writeMoments(a *assembler) {
	element := a.elementName()
	a.begin("moments"+exported(element), "dst, x *"+element+", count int",
		fmt.Sprintf("computes, for each of count leaves of %d elements, at least one, the sum and the sum of squared distances from the mean.", reductionLeaf))
	dst, x, count := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("count"), a.GP64())
	again := a.GP64()
	a.Label("leaf")
	a.MOVQ(x, again)
	sum := short(totals[0].leaf(a, "sum", again)[0])
	a.of(a.VMOVSS, a.VMOVSD)(sum, operand.Mem{Base: dst})
	center := a.vector()
	a.of(a.VBROADCASTSS, a.VBROADCASTSD)(sum, center)
	center = a.multiply(center, a.number(1.0/reductionLeaf))
	squares := short(squaredDistances(center).leaf(a, "squares", x)[0])
	a.of(a.VMOVSS, a.VMOVSD)(squares, operand.Mem{Base: dst, Disp: a.elementBytes()})
	a.ADDQ(operand.I32(2*a.elementBytes()), dst)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("leaf"))
	a.VZEROUPPER()
	a.RET()
}
