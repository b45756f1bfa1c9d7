package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// hasLanes tells whether there is the reduction of rows that are lanes.
func (t total) hasLanes() bool {
	return t.operator == "sum" && !t.unordered
}

// writeLanes writes the reduction of rows as the lanes of a leaf are joined: all of them are read at the same time,
// which is faster than two by two.
func (t total) writeLanes(a *assembler, name, element string) {
	a.begin(name, a.operandsOf(element)+", stride, rows, width int",
		fmt.Sprintf("joins rows, at most %d, of width elements, at least a vector, that are stride bytes apart, as the lanes of a leaf,", reductionLanes),
		"to dst, which is none of them.")
	dst, x := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64())
	columns := columnLoop{a, dst, x, a.Load(a.Param("width"), a.GP64()), nil}
	stride, rows := a.Load(a.Param("stride"), a.GP64()), a.Load(a.Param("rows"), a.GP64())
	lower, upper := a.multiplesOf(x, stride, reductionLanes/2), a.GP64()
	tile := tileOfRows
	if !a.wide {
		tile = 2 // There are half as many registers.
	}
	columns.write(tile, func(label string, vectors int) {
		a.LEAQ(operand.Mem{Base: x, Index: stride, Scale: reductionLanes / 2}, upper)
		at := func(row, i int) operand.Mem {
			from := lower
			if row >= reductionLanes/2 {
				from.base = upper
			}
			return from.at(row%(reductionLanes/2), i*a.sourceBytes())
		}
		var joined func(row, apart int) [][]reg.Register // of the row and those that are multiples of so many behind it
		joined = func(row, apart int) [][]reg.Register {
			if apart == reductionLanes {
				states := make([][]reg.Register, vectors)
				for i := range states {
					states[i] = t.begin(a, at(row, i))
				}
				return states
			}
			states := joined(row, 2*apart)
			missing := fmt.Sprint(label, "Without", row+apart)
			a.CMPQ(rows, operand.I32(row+apart))
			a.JLE(operand.LabelRef(missing))
			if 2*apart == reductionLanes {
				for i, state := range states {
					t.step(a, state, at(row+apart, i))
				}
			} else {
				for i, other := range joined(row+apart, 2*apart) {
					t.join(a, states[i], other)
				}
			}
			a.Label(missing)
			return states
		}
		for i, state := range joined(0, 1) {
			a.of(a.VMOVUPS, a.VMOVUPD)(state[0], operand.Mem{Base: dst, Disp: i * a.bytes()})
		}
	})
}
