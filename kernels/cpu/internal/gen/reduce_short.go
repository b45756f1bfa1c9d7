package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// hasShortRows tells for which elements there is the reduction of short rows.
func (t total) hasShortRows(element string) bool {
	return t.operator == "sum" || element == "int32" && (t.operator == "max" || t.operator == "min")
}

// neutral is the bits of an element that changes no other: that missing elements of a row are taken for.
func (t total) neutral(element string) uint64 {
	switch {
	case t.operator == "prod" && element == "float32":
		return uint64(math.Float32bits(1))
	case t.operator == "prod":
		return math.Float64bits(1)
	case element == "float32":
		return 1 << 31 // negative zero
	case element == "complex64":
		return 1<<63 | 1<<31
	case element == "float64":
		return 1 << 63
	case t.operator == "sum":
		return 0
	}
	least := uint64(1) << (8*sizeOf[element] - 1)
	if t.operator == "max" {
		return least
	}
	return least - 1
}

// writeShortRows writes the reduction of many short rows to an element each. As many as a vector has elements are brought to one vector
// each, and then all of these to one by a transposition whose steps join the halves of what they have put together.
func (t total) writeShortRows(a *assembler, name, element string) {
	group := a.bytes() / a.elementBytes()
	a.begin(name, "dst, x, scratch *"+element+", stride, rows, width int",
		fmt.Sprintf("reduces rows of width elements, at most %d, that are stride bytes apart, to an element each.", reductionLeaf),
		fmt.Sprintf("Their number is a positive multiple of %d, and scratch is memory for %d bytes.", group, (group+2*t.vectorsOfRow(a))*a.bytes()))
	dst, x, scratch := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64()), a.Load(a.Param("scratch"), a.GP64())
	stride, rows := a.Load(a.Param("stride"), a.GP64()), a.Load(a.Param("rows"), a.GP64())
	whole, some := a.Load(a.Param("width"), a.GP64()), a.GP64()
	a.MOVQ(whole, some)
	a.ANDQ(operand.I32(reductionLanes-1), some)
	a.SHRQ(operand.U8(4), whole)

	vectors := t.vectorsOfRow(a)
	neutral := a.spread(a.bits(t.neutral(element)))
	place := func(i int) operand.Mem { return operand.Mem{Base: scratch, Disp: i * a.bytes()} } // those of the rows come first
	nothing, end := place(group), func(j int) operand.Mem { return place(group + 1 + j) }
	a.of(a.VMOVUPS, a.VMOVUPD)(neutral, nothing)
	padded := t.padding(a, some, neutral, end)

	row, left, at, rest := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.Label("group")
	a.MOVQ(scratch, row)
	a.MOVQ(operand.I32(group), left)
	a.Label("row")
	states := make([][]reg.Register, vectors)
	for j := range states {
		states[j] = t.begin(a, nothing)
	}
	a.MOVQ(x, at)
	a.MOVQ(whole, rest)
	a.TESTQ(rest, rest)
	a.JZ(operand.LabelRef("some"))
	a.Label("whole")
	for j, state := range states {
		t.step(a, state, operand.Mem{Base: at, Disp: j * a.bytes()})
		if j*a.bytes()%64 == 0 {
			a.PREFETCHT0(operand.Mem{Base: at, Disp: ahead + j*a.bytes()})
		}
	}
	a.ADDQ(operand.I32(reductionLanes*a.elementBytes()), at)
	a.DECQ(rest)
	a.JNZ(operand.LabelRef("whole"))
	a.Label("some")
	a.TESTQ(some, some)
	a.JZ(operand.LabelRef("join"))
	padded(at)
	a.PREFETCHT0(operand.Mem{Base: at, Disp: ahead})
	for j, state := range states {
		t.step(a, state, end(j))
	}
	a.Label("join")
	a.of(a.VMOVUPS, a.VMOVUPD)(t.halve(a, states)[0], operand.Mem{Base: row})
	a.ADDQ(operand.I32(a.bytes()), row)
	a.ADDQ(stride, x)
	a.DECQ(left)
	a.JNZ(operand.LabelRef("row"))

	a.of(a.VMOVUPS, a.VMOVUPD)(t.joinRows(a, place), operand.Mem{Base: dst})
	a.ADDQ(operand.I32(a.bytes()), dst)
	a.SUBQ(operand.I32(group), rows)
	a.JNZ(operand.LabelRef("group"))
	a.VZEROUPPER()
	a.RET()
}

func (t total) vectorsOfRow(a *assembler) int { return reductionLanes * a.elementBytes() / a.bytes() }

// padding returns what writes the code that stores the last elements of a row at an address, padded, to its places.
func (t total) padding(a *assembler, some reg.Register, neutral vector, to func(j int) operand.Mem) func(at reg.Register) {
	vectors, length := t.vectorsOfRow(a), a.bytes()/a.elementBytes()
	if a.wide {
		bits, masks := a.GP64(), make([]reg.Register, vectors)
		a.MOVQ(operand.I32(1), bits)
		a.SHLXQ(some, bits, bits)
		a.DECQ(bits)
		for j := range masks {
			masks[j] = a.K()
			a.KMOVW(bits.As32(), masks[j])
			a.SHRQ(operand.U8(length), bits)
		}
		return func(at reg.Register) {
			for j, mask := range masks {
				v := a.vector()
				a.of(a.VMOVAPS, a.VMOVAPD)(neutral, v)
				from := operand.Mem{Base: at, Disp: j * a.sourceBytes()}
				if a.source == "" {
					a.of(a.VMOVUPS, a.VMOVUPD)(from, mask, v)
				} else {
					a.sourceInto(v, from, mask)
				}
				a.of(a.VMOVUPS, a.VMOVUPD)(v, to(j))
			}
		}
	}
	ones := make([]uint64, 2*reductionLanes*a.elementBytes()/8) // and as many zeros
	for i := range len(ones) / 2 {
		ones[i] = math.MaxUint64
	}
	table, masks := a.GP64(), make([]vector, vectors)
	a.LEAQ(a.table(fmt.Sprint("padding", a.elementBytes()), ones...), table)
	for j := range masks {
		offset := a.GP64()
		a.MOVQ(operand.I32(reductionLanes+j*length), offset)
		a.SUBQ(some, offset)
		masks[j] = a.vector()
		a.VMOVDQU(operand.Mem{Base: table, Index: offset, Scale: uint8(a.elementBytes())}, masks[j])
	}
	return func(at reg.Register) {
		for j, mask := range masks {
			v := a.vector()
			a.of(ofThree(a.VMASKMOVPS), ofThree(a.VMASKMOVPD))(operand.Mem{Base: at, Disp: j * a.bytes()}, mask, v)
			a.VBLENDVPS(mask, v, neutral, v)
			a.of(a.VMOVUPS, a.VMOVUPD)(v, to(j))
		}
	}
}

// joinRows returns the vector of the results of rows that have a vector each.
func (t total) joinRows(a *assembler, place func(i int) operand.Mem) reg.Register {
	p := transposition{asm: a, size: a.elementBytes()}
	joined := make([]reg.Register, p.block()) // each has rows in its lanes
	for i := range joined {
		rows := make([]reg.Register, p.lanes())
		for lane := range rows {
			rows[lane] = a.loadMemory(place(lane*p.block() + i))
		}
		joined[i] = t.joinAcross(a, rows)
	}
	return t.joinWithin(a, joined)
}

// joinPairs joins what two instructions take from both x and y.
func (t total) joinPairs(a *assembler, x, y reg.Register, lower, upper instruction) reg.Register {
	p := transposition{asm: a, size: a.elementBytes()}
	joined := []reg.Register{p.asm.apply(lower, nil, y.(vector), x.(vector))}
	t.join(a, joined, []reg.Register{p.asm.apply(upper, nil, y.(vector), x.(vector))})
	return joined[0]
}

// joinAcross joins the lanes of as many rows as a vector has lanes of 16 bytes: each row is brought to one of them.
func (t total) joinAcross(a *assembler, rows []reg.Register) reg.Register {
	p := transposition{asm: a, size: a.elementBytes()}
	if !a.wide {
		return t.joinPairs(a, rows[0], rows[1], p.pick(0x20), p.pick(0x31))
	}
	front, back := t.joinPairs(a, rows[0], rows[1], p.pick(0x44), p.pick(0xEE)), t.joinPairs(a, rows[2], rows[3], p.pick(0x44), p.pick(0xEE))
	return t.joinPairs(a, front, back, p.pick(0x88), p.pick(0xDD))
}

// joinWithin joins the elements in lanes of as many vectors as a lane has elements: each row of the vectors is brought to one of them.
func (t total) joinWithin(a *assembler, x []reg.Register) reg.Register {
	front := t.joinPairs(a, x[0], x[1], a.VPUNPCKLQDQ, a.VPUNPCKHQDQ)
	if len(x) == 2 {
		return front
	}
	back := t.joinPairs(a, x[2], x[3], a.VPUNPCKLQDQ, a.VPUNPCKHQDQ)
	shuffle := func(order uint8) instruction {
		return func(operands ...operand.Op) { a.VSHUFPS(append([]operand.Op{operand.U8(order)}, operands...)...) }
	}
	return t.joinPairs(a, front, back, shuffle(0x88), shuffle(0xDD))
}
