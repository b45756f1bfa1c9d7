package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blockBytes is how much memory sums of narrow integers take at a time.
const blockBytes = 256

// writeNarrowSums writes the sums of integers of up to four bytes, and a table of them.
func writeNarrowSums(f *file) {
	rows := [2]string{}
	for _, size := range []int{1, 2, 4} {
		f.eachOf(8, func(a *assembler) { a.narrowSum(size) })
		for i, suffix := range []string{"AVX2", "AVX512"} {
			rows[i] += fmt.Sprintf("narrowSum%d%s, ", 8*size, suffix)
		}
	}
	f.appendix = fmt.Sprintf("\nfunc init() {\nnarrowSums = [2][3]narrowSum{{%s}, {%s}}\n}\n", rows[0], rows[1])
}

// narrowSum writes a sum as narrowSum of kernels/cpu describes it. Bytes are added by eights in one instruction, those
// of words with their higher halves once more; of doublewords, whole quadwords are added, and their higher halves.
func (a *assembler) narrowSum(size int) {
	a.begin(fmt.Sprintf("narrowSum%d", 8*size), "x *byte, blocks int, flip uint64) (sum, highs uint64",
		fmt.Sprintf("adds the elements, flipped, of blocks of %d bytes, at least one, to sum, and their higher halves to highs; see narrowSum.", blockBytes))
	x, blocks := a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("blocks"), a.GP64())
	place, err := a.Param("flip").Resolve()
	if err != nil {
		panic(err)
	}
	flip, zeros := a.spread(place.Addr), func() vector {
		v := a.vector()
		a.VPXOR(v.AsX(), v.AsX(), v.AsX())
		return v
	}
	zero, sums, highs := zeros(), [2]vector{zeros(), zeros()}, [2]vector{zeros(), zeros()}
	ahead := a.ahead(16<<10, blocks, blockBytes)
	a.Label("block")
	for i := range blockBytes / a.bytes() {
		at := operand.Mem{Base: x, Disp: i * a.bytes()}
		if i*a.bytes()%64 == 0 {
			a.PREFETCHT0(operand.Mem{Base: x, Index: ahead, Scale: 1, Disp: at.Disp})
		}
		v := a.xor(a.loadMemory(at), flip)
		if size > 1 {
			high := a.vector()
			if size == 2 {
				a.VPSRLW(operand.U8(8), v, high)
				a.VPSADBW(zero, high, high)
			} else {
				a.VPSRLQ(operand.U8(32), v, high)
			}
			a.VPADDQ(high, highs[i%2], highs[i%2])
		}
		if size < 4 {
			a.VPSADBW(zero, v, v)
		}
		a.VPADDQ(v, sums[i%2], sums[i%2])
	}
	a.ADDQ(operand.I32(blockBytes), x)
	a.DECQ(blocks)
	a.JNZ(operand.LabelRef("block"))
	t := total{join: func(a *assembler, state, other []reg.Register) {
		for i := range state {
			a.VPADDQ(other[i], state[i], state[i])
		}
	}}
	both := t.lane(a, t.halve(a, [][]reg.Register{{sums[0], highs[0]}, {sums[1], highs[1]}}))
	a.VZEROUPPER()
	for i, v := range both {
		result := a.GP64()
		a.MOVQ(short(v), result)
		a.Store(result, a.ReturnIndex(i))
	}
	a.RET()
}

// fetchedPart is from how many bytes on memory is fetched ahead: in shorter parts, and between them, most of that would not be read.
const fetchedPart = 32 << 10

// ahead returns fetches, by how many bytes memory is fetched before its use, or 0 where so many rows of bytes are less than fetchedPart.
func (a *assembler) ahead(fetches int, rows reg.Register, bytes int) reg.Register {
	ahead, far := a.GP64(), a.GP64()
	a.XORQ(ahead, ahead)
	a.MOVQ(operand.I32(fetches), far)
	a.CMPQ(rows, operand.I32(fetchedPart/bytes))
	a.CMOVQGE(far, ahead)
	return ahead
}
