package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// descentVectors is how many vectors are compared before a look at the result.
const descentVectors = 4

// writeDescent writes a function that looks for a key that is above the next one.
func (a *assembler) writeDescent() {
	lanes := 1 << a.laneBits()
	a.begin(a.name("descends"), fmt.Sprintf("keys *%s, count int) (found uint32", a.key()),
		fmt.Sprintf("returns something other than 0 if one of count keys, a positive multiple of %d, is above the one behind it; there is one behind the last.", descentVectors*lanes))
	keys, count, found := a.integer("keys"), a.integer("count"), a.GP32()
	const greater = 6
	var some reg.Register
	a.Label("vectors")
	for i := range descentVectors {
		x, next := a.loadFrom(operand.Mem{Base: keys, Disp: i * a.bytes()}), operand.Mem{Base: keys, Disp: i*a.bytes() + a.keyBits()/8}
		if a.wide {
			k := a.K()
			a.of(a.VPCMPD, a.VPCMPQ)(operand.U8(greater), next, x, k)
			if i > 0 {
				a.KORW(some, k, k)
			}
			some = k
		} else {
			a.of(a.VPCMPGTD, a.VPCMPGTQ)(next, x, x)
			if i > 0 {
				a.VPOR(some, x, x)
			}
			some = x
		}
	}
	if a.wide {
		a.KMOVW(some, found)
	} else {
		a.VPMOVMSKB(some, found)
	}
	a.TESTL(found, found)
	a.JNZ(operand.LabelRef("done"))
	a.ADDQ(operand.I32(descentVectors*a.bytes()), keys)
	a.SUBQ(operand.I32(descentVectors*lanes), count)
	a.JNZ(operand.LabelRef("vectors"))
	a.Label("done")
	a.VZEROUPPER()
	a.Store(found, a.ReturnIndex(0))
	a.RET()
}
