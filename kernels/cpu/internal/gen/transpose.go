package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// elementSizes are the bytes of elements that are moved.
var elementSizes = []int{1, 2, 4, 8, 16}

// writeTranspose writes the transposition of matrices for each size of elements, with ordinary stores and with stores that
// go past the caches.
func writeTranspose(f *file) {
	var table strings.Builder
	fmt.Fprintln(&table, "\nfunc init() {")
	for i, size := range elementSizes {
		names := [2][]string{}
		for streams, name := range []string{"transpose", "stream"} {
			f.each(false, func(a *assembler) {
				name := fmt.Sprint(name, size)
				t := transposition{asm: a, size: size, streams: streams == 1}
				names[streams] = append(names[streams], name+a.suffix())
				t.write(name)
			})
		}
		fmt.Fprintf(&table, "\ttransposers[%d] = [2][2]transposer{{%s}, {%s}}\n", i, strings.Join(names[0], ", "), strings.Join(names[1], ", "))
	}
	for i, size := range elementSizes[:4] {
		names := [2][]string{}
		f.each(false, func(a *assembler) {
			narrow, interleaved := fmt.Sprint("narrow", size), fmt.Sprint("interleaved", size)
			names[0], names[1] = append(names[0], narrow+a.suffix()), append(names[1], interleaved+a.suffix())
			transposition{asm: a, size: size, narrow: true}.write(narrow)
			transposition{asm: a, size: size}.writeInterleaved(interleaved)
		})
		fmt.Fprintf(&table, "\tnarrowTransposers[%d] = [2][2]transposer{{%s}, {%s}}\n", i, strings.Join(names[0], ", "), strings.Join(names[1], ", "))
	}
	fmt.Fprintln(&table, "}")
	f.appendix = table.String()
}

// narrowColumns is how many columns a narrow tile has at most.
const narrowColumns = 4

// transposition writes a loop over tiles. A tile has as many rows as a vector has elements, so that a column of it is a
// vector of the result. A vector is made of lanes of 16 bytes; as many neighbouring elements as a lane has make a block. A narrow
// tile has few columns: of what is read by lanes the others are dropped.
type transposition struct {
	asm             *assembler
	size            int
	streams, narrow bool

	from, fromStride, to, toStride reg.Register
	count                          reg.Register // of columns that are left
}

// block is how many elements a lane has.
func (t transposition) block() int { return 16 / t.size }

// lanes is how many lanes a vector has.
func (t transposition) lanes() int { return t.asm.bytes() / 16 }

// rows and columns are the extent of a tile.
func (t transposition) rows() int { return t.block() * t.lanes() }

func (t transposition) columns() int {
	switch {
	case t.narrow:
		return min(narrowColumns, t.block())
	case t.byLanes():
		return t.block()
	}
	return t.rows()
}

// byLanes tells that rows are read lane by lane: there are not registers enough for whole ones, or most of a row would be dropped.
func (t transposition) byLanes() bool { return t.size <= 2 || t.narrow }

func (t transposition) write(name string) {
	extent := fmt.Sprintf("positive multiples of %d rows and of %d columns.", t.rows(), t.columns())
	if t.narrow {
		extent = fmt.Sprintf("a positive multiple of %d rows, and 1 to %d columns, but 16 bytes of each row are read.", t.rows(), t.columns())
	}
	t.asm.begin(name, "dst, src *byte, dstStride, srcStride, rows, columns int",
		fmt.Sprintf("writes a matrix with elements of %d bytes transposed. It has %s", t.size, extent),
		"Strides are the bytes between rows of src and between rows of dst.")
	t.to, t.toStride = t.asm.GP64(), t.asm.Load(t.asm.Param("dstStride"), t.asm.GP64())
	t.from, t.fromStride = t.asm.GP64(), t.asm.Load(t.asm.Param("srcStride"), t.asm.GP64())
	to, from := t.asm.Load(t.asm.Param("dst"), t.asm.GP64()), t.asm.Load(t.asm.Param("src"), t.asm.GP64())
	columns, rows := t.asm.Load(t.asm.Param("columns"), t.asm.GP64()), t.asm.GP64()

	t.count = columns
	t.asm.Label("columns")
	t.asm.MOVQ(to, t.to)
	t.asm.MOVQ(from, t.from)
	t.asm.Load(t.asm.Param("rows"), rows)
	t.asm.Label("rows")
	t.tile()
	t.asm.Label("stored")
	t.asm.ADDQ(operand.I32(t.asm.bytes()), t.to)
	t.advance(t.from, t.fromStride, t.rows())
	t.asm.SUBQ(operand.I32(t.rows()), rows)
	t.asm.JNZ(operand.LabelRef("rows"))
	if !t.narrow {
		t.advance(to, t.toStride, t.columns())
		t.asm.ADDQ(operand.I32(t.columns()*t.size), from)
		t.asm.SUBQ(operand.I32(t.columns()), columns)
		t.asm.JNZ(operand.LabelRef("columns"))
	}
	if t.streams {
		t.asm.SFENCE()
	}
	t.asm.VZEROUPPER()
	t.asm.RET()
}

// advance adds a multiple of stride.
func (t transposition) advance(address, stride reg.Register, times int) {
	product := t.asm.GP64()
	t.asm.IMUL3Q(operand.I32(times), stride, product)
	t.asm.ADDQ(product, address)
}

// at is the place of row number i.
func (t transposition) at(address, stride reg.Register, i int) operand.Mem {
	switch i {
	case 0:
		return operand.Mem{Base: address}
	case 1, 2, 4, 8:
		return operand.Mem{Base: address, Index: stride, Scale: uint8(i)}
	}
	offset := t.asm.GP64()
	t.asm.IMUL3Q(operand.I32(i), stride, offset)
	return operand.Mem{Base: address, Index: offset, Scale: 1}
}

func (t transposition) tile() {
	if t.byLanes() {
		gathered := make([]func() vector, t.block())
		for i := range gathered {
			gathered[i] = func() vector { return t.gather(i) }
			if t.asm.wide || t.size > 1 { // there are registers for all of them
				row := gathered[i]()
				gathered[i] = func() vector { return row }
			}
		}
		t.within(0, gathered, t.storeColumn)
		return
	}
	groups := make([][]func() vector, t.lanes())
	for i := range t.block() {
		rows := make([]vector, t.lanes())
		for lane := range rows {
			rows[lane] = t.whole(lane*t.block() + i)
		}
		for group, row := range t.across(rows) {
			groups[group] = append(groups[group], func() vector { return row })
		}
	}
	for group, rows := range groups {
		t.within(group*t.block(), rows, t.storeColumn)
	}
}

// whole loads row number i.
func (t transposition) whole(i int) vector { return t.asm.loadFrom(t.at(t.from, t.fromStride, i)) }

// gather loads the first lanes of the rows i, i+block, i+2·block and so on.
func (t transposition) gather(i int) vector {
	result := t.asm.vector()
	first := t.at(t.from, t.fromStride, i)
	if t.asm.wide {
		t.asm.VBROADCASTI32X4(first, result)
	} else {
		t.asm.VBROADCASTI128(first, result)
	}
	for lane := 1; lane < t.lanes(); lane++ {
		row := t.at(t.from, t.fromStride, lane*t.block()+i)
		if t.asm.wide {
			t.asm.VINSERTI32X4(operand.U8(lane), row, result, result)
		} else {
			t.asm.VINSERTI128(operand.U8(lane), row, result, result)
		}
	}
	return result
}

// across transposes the matrix whose elements are the lanes of x.
func (t transposition) across(x []vector) []vector {
	if !t.asm.wide {
		return []vector{t.asm.apply(t.pick(0x20), nil, x[1], x[0]), t.asm.apply(t.pick(0x31), nil, x[1], x[0])}
	}
	const even, odd, lower, upper = 0x88, 0xDD, 0x44, 0xEE
	result := []vector{}
	for _, half := range []uint8{lower, upper} {
		front, back := t.asm.apply(t.pick(half), nil, x[1], x[0]), t.asm.apply(t.pick(half), nil, x[3], x[2])
		result = append(result, t.asm.apply(t.pick(even), nil, back, front), t.asm.apply(t.pick(odd), nil, back, front))
	}
	return result
}

// pick is the instruction that puts lanes of two vectors together.
func (t transposition) pick(lanes uint8) instruction {
	return func(operands ...operand.Op) {
		if t.asm.wide {
			t.asm.VSHUFI32X4(operand.U8(lanes), operands[0], operands[1], operands[2])
		} else {
			t.asm.VPERM2I128(operand.U8(lanes), operands[0], operands[1], operands[2])
		}
	}
}

// within transposes the matrices that x has in each lane, and puts the results, which are columns from first on. Interleaving the
// first half of the vectors with the second as often as they can be halved is a transposition.
func (t transposition) within(first int, x []func() vector, put func(v vector, column int)) {
	if len(x) == 1 {
		if t.narrow && first > 0 {
			t.asm.CMPQ(t.count, operand.U8(first))
			t.asm.JLE(operand.LabelRef("stored"))
		}
		put(x[0](), first)
		return
	}
	half := len(x) / 2
	for part, interleave := range t.interleaving() {
		if t.narrow && first+part*half >= t.columns() {
			return
		}
		joined := make([]func() vector, half)
		for i := range joined {
			front, back := x[i](), x[i+half]()
			row := t.asm.apply(interleave, nil, back, front)
			joined[i] = func() vector { return row }
		}
		t.within(first+part*half, joined, put)
	}
}

// interleaving are the instructions that interleave the lower and the upper halves of lanes.
func (t transposition) interleaving() [2]instruction {
	switch t.size {
	case 1:
		return [2]instruction{t.asm.VPUNPCKLBW, t.asm.VPUNPCKHBW}
	case 2:
		return [2]instruction{t.asm.VPUNPCKLWD, t.asm.VPUNPCKHWD}
	case 4:
		return [2]instruction{t.asm.VPUNPCKLDQ, t.asm.VPUNPCKHDQ}
	}
	return [2]instruction{t.asm.VPUNPCKLQDQ, t.asm.VPUNPCKHQDQ}
}

// storeColumn stores a column of the tile.
func (t transposition) storeColumn(x vector, column int) {
	place := t.at(t.to, t.toStride, column)
	switch {
	case t.streams:
		t.asm.VMOVNTDQ(x, place)
	case t.asm.wide:
		t.asm.VMOVDQU32(x, place)
	default:
		t.asm.VMOVDQU(x, place)
	}
}
