package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The tree of reductions, as kernels/cpu/reduce.go describes it.
const (
	reductionLanes = 16
	reductionLeaf  = 256
)

// total is a reduction whose partial results are elements, or bits that finish makes elements of.
type total struct {
	operator string
	elements []string // types
	// begin makes the state of a lane of its first elements, and step takes further ones into it.
	begin func(a *assembler, x operand.Mem) []reg.Register
	step  func(a *assembler, state []reg.Register, x operand.Mem)
	// join takes the state of other lanes, of vectors of any length, into state.
	join func(a *assembler, state, other []reg.Register)
	// direct tells that step is one instruction, beside which those of a loop over the rows of a leaf would count.
	direct bool
	// unordered tells that the order of elements does not matter.
	unordered bool
	// finish makes elements of state; nil where it is elements. It gets vectors as long as whole says, or their first 16 bytes.
	finish func(a *assembler, state []reg.Register, whole bool) reg.Register
	// quick computes parts with AVX-512 in fewer instructions where it can tell whether the result is right; nil where nothing does.
	quick *quickTotal
}

// quickTotal is a total whose state begins with an element: the result, unless it is doubtful.
type quickTotal struct {
	total
	jumpIfDoubtful func(a *assembler, state []reg.Register, label string)
}

var floatElements = []string{"float32", "float64"}

var totals = append([]total{
	summing("sum", func(a *assembler, x operand.Mem) reg.Register { return a.element(x) }, true),
	summing("sumsq", func(a *assembler, x operand.Mem) reg.Register {
		v := a.element(x)
		return a.multiply(v, v)
	}, false),
	summing("asum", func(a *assembler, x operand.Mem) reg.Register { return a.magnitude(a.element(x)) }, false),
	{
		operator: "prod", elements: floatElements, direct: true,
		begin: func(a *assembler, x operand.Mem) []reg.Register { return []reg.Register{a.loadMemory(x)} },
		step: func(a *assembler, state []reg.Register, x operand.Mem) {
			a.of(a.VMULPS, a.VMULPD)(x, state[0], state[0])
		},
		join: func(a *assembler, state, other []reg.Register) {
			a.of(a.VMULPS, a.VMULPD)(other[0], state[0], state[0])
		},
	},
	{operator: "sum", elements: []string{"int64"}, unordered: true,
		begin: func(a *assembler, x operand.Mem) []reg.Register { return []reg.Register{a.loadMemory(x)} },
		step:  func(a *assembler, state []reg.Register, x operand.Mem) { a.VPADDQ(x, state[0], state[0]) },
		join:  func(a *assembler, state, other []reg.Register) { a.VPADDQ(other[0], state[0], state[0]) },
	},
	{operator: "sum", elements: []string{"complex64"}, direct: true, // whose parts are added
		begin: func(a *assembler, x operand.Mem) []reg.Register { return []reg.Register{a.loadMemory(x)} },
		step:  func(a *assembler, state []reg.Register, x operand.Mem) { a.VADDPS(x, state[0], state[0]) },
		join:  func(a *assembler, state, other []reg.Register) { a.VADDPS(other[0], state[0], state[0]) },
	},
	extreme("max", true), extreme("min", false),
}, integerExtremes()...)

// summing is the sum of what lift makes of elements; direct tells that it makes nothing.
func summing(operator string, lift func(a *assembler, x operand.Mem) reg.Register, direct bool) total {
	add := func(a *assembler, x operand.Op, sum reg.Register) { a.of(a.VADDPS, a.VADDPD)(x, sum, sum) }
	return total{
		operator: operator, elements: floatElements, direct: direct,
		begin: func(a *assembler, x operand.Mem) []reg.Register { return []reg.Register{lift(a, x)} },
		step: func(a *assembler, state []reg.Register, x operand.Mem) {
			if direct && a.source == "" {
				add(a, x, state[0])
			} else {
				add(a, lift(a, x), state[0])
			}
		},
		join: func(a *assembler, state, other []reg.Register) { add(a, other[0], state[0]) },
	}
}

func (a *assembler) loadMemory(x operand.Mem) vector {
	result := a.vector()
	a.of(a.VMOVUPS, a.VMOVUPD)(x, result)
	return result
}

func (a *assembler) magnitude(x vector) vector {
	if a.double {
		return a.and(x, a.bits(1<<63-1))
	}
	return a.and(x, a.bits(1<<31-1))
}

// writeReduce writes the reductions of rows and of leaves, and the tables of them.
func writeReduce(f *file) {
	tables, known := map[string]*strings.Builder{}, []string{}
	for _, t := range totals {
		for _, element := range t.elements {
			rows, whole, field, write := t.operator+"Rows"+exported(element), t.operator+"Trees"+exported(element), "trees", t.writeTrees
			if t.unordered {
				whole, field, write = t.operator+"Parts"+exported(element), "parts", t.writeParts
			}
			narrow, wide := "", ""
			if t.unordered && t.hasTrees(element) {
				trees := t.operator + "Trees" + exported(element)
				f.eachOf(sizeOf[element], func(a *assembler) { t.writeTrees(a, trees, element) })
				narrow, wide = ", trees: "+trees+"AVX2", ", trees: "+trees+"AVX512"
			}
			f.eachOf(sizeOf[element], func(a *assembler) { t.writeRows(a, rows, element) })
			f.eachOf(sizeOf[element], func(a *assembler) { write(a, whole, element) })
			if tables[element] == nil {
				tables[element], known = &strings.Builder{}, append(known, element)
			}
			if t.hasShortRows(element) {
				short := t.operator + "ShortRows" + exported(element)
				f.eachOf(sizeOf[element], func(a *assembler) { t.writeShortRows(a, short, element) })
				narrow, wide = narrow+", short: "+short+"AVX2", wide+", short: "+short+"AVX512"
			}
			if t.hasLanes() {
				lanes := t.operator + "Lanes" + exported(element)
				f.eachOf(sizeOf[element], func(a *assembler) { t.writeLanes(a, lanes, element) })
				narrow, wide = narrow+", lanes: "+lanes+"AVX2", wide+", lanes: "+lanes+"AVX512"
			}
			fmt.Fprintf(tables[element], "%q: {{rows: %[2]sAVX2, %[6]s: %[3]sAVX2%[4]s}, {rows: %[2]sAVX512, %[6]s: %[3]sAVX512%[5]s}},\n",
				t.operator, rows, whole, narrow, wide, field)
		}
	}
	sources := writeLoadedTotals(f)
	f.each(false, writeDeviations)
	f.each(true, writeDeviations)
	f.each(false, writeMoments)
	f.each(true, writeMoments)
	f.appendix = "\nfunc init() {\n"
	for _, element := range known {
		f.appendix += fmt.Sprintf("assembledTotals[%q] = map[string][2]assembledTotal[%[1]s]{\n%[2]s}\n", element, tables[element])
	}
	for _, element := range []string{"Float32", "Float64"} {
		f.appendix += fmt.Sprintf("assembledMoments[%q] = [2]assembledMoment[%[1]s]{{deviations%[2]sAVX2, moments%[2]sAVX2}, {deviations%[2]sAVX512, moments%[2]sAVX512}}\n", strings.ToLower(element), element)
	}
	f.appendix += sources + "}\n"
}

// loadedTotals are the totals of elements that are loaded from narrower ones.
var loadedTotals = []struct{ operator, element, source string }{
	{"sum", "float32", "float16"}, {"sum", "float32", "bfloat16"}, {"sumsq", "float64", "float32"}, {"asum", "float64", "float32"},
	{"sumsq", "float64", "float16"}, {"sumsq", "float64", "bfloat16"},
}

// writeLoadedTotals writes them, and returns the code of their table. There are trees for AVX-512 alone: AVX2 has no
// masks for elements of two bytes.
func writeLoadedTotals(f *file) (code string) {
	for _, w := range loadedTotals {
		t := totals[slices.IndexFunc(totals, func(t total) bool { return t.operator == w.operator })]
		name := func(part string) string { return t.operator + part + exported(w.element) + "Of" + exported(w.source) }
		code += fmt.Sprintf("assembledLoadings[%q] = [2]assembledLoading[%s]{", t.operator+"/"+w.source+"/"+w.element, w.element)
		for _, wide := range []bool{false, true} {
			writer := func() *assembler {
				return &assembler{Context: f.context, file: f, wide: wide, double: w.element == "float64", source: w.source}
			}
			suffix := writer().suffix()
			t.writeRows(writer(), name("Rows"), w.element)
			code += fmt.Sprintf("{rows: %s%s", name("Rows"), suffix)
			if wide {
				t.writeTrees(writer(), name("Trees"), w.element)
				code += fmt.Sprintf(", trees: %s%s", name("Trees"), suffix)
			}
			if t.hasLanes() {
				t.writeLanes(writer(), name("Lanes"), w.element)
				code += fmt.Sprintf(", lanes: %s%s", name("Lanes"), suffix)
			}
			code += "}, "
		}
		code = strings.TrimSuffix(code, ", ") + "}\n"
	}
	return code
}

func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// tileOfRows is how many vectors of a row are reduced together.
const tileOfRows = 4

// writeRows writes the reduction of rows of neighbouring elements to one row.
func (t total) writeRows(a *assembler, name, element string) {
	a.begin(name, a.operandsOf(element)+", stride, rows, width int",
		"reduces rows of width elements, at least a vector, that are stride bytes apart, to dst, which is no row unless width is a multiple of 16.")
	dst, x := a.Load(a.Param("dst"), a.GP64()), a.Load(a.Param("x"), a.GP64())
	columns := columnLoop{a, dst, x, a.Load(a.Param("width"), a.GP64()), nil}
	stride, rows := a.Load(a.Param("stride"), a.GP64()), a.Load(a.Param("rows"), a.GP64())
	columns.write(tileOfRows, func(label string, vectors int) {
		states := make([][]reg.Register, vectors)
		for i := range states {
			states[i] = t.begin(a, operand.Mem{Base: x, Disp: i * a.sourceBytes()})
		}
		a.eachRow(label, x, stride, rows, func(at reg.Register) {
			for i, state := range states {
				t.step(a, state, operand.Mem{Base: at, Disp: i * a.sourceBytes()})
			}
		})
		for i, state := range states {
			a.of(a.VMOVUPS, a.VMOVUPD)(t.result(a, state, true), operand.Mem{Base: dst, Disp: i * a.bytes()})
		}
	})
}

func (t total) result(a *assembler, state []reg.Register, whole bool) reg.Register {
	if t.finish == nil {
		return state[0]
	}
	return t.finish(a, state, whole)
}

// eachRow writes a loop over the rows from the second on.
func (a *assembler) eachRow(label string, x, stride, rows reg.Register, body func(at reg.Register)) {
	at, rest := a.GP64(), a.GP64()
	a.MOVQ(x, at)
	a.MOVQ(rows, rest)
	a.DECQ(rest)
	a.JZ(operand.LabelRef(label + "Done"))
	a.Label(label + "Row")
	a.ADDQ(stride, at)
	body(at)
	a.DECQ(rest)
	a.JNZ(operand.LabelRef(label + "Row"))
	a.Label(label + "Done")
}

// columnLoop goes over the columns of rows, and of what lies beside them.
type columnLoop struct {
	asm           *assembler
	dst, x, width reg.Register
	beside        []reg.Register
}

// write writes body for tiles of vectors, and for single ones. The last vector overlaps the one before it where width is no
// multiple.
func (c columnLoop) write(tile int, body func(label string, vectors int)) {
	size, length := c.asm.elementBytes(), c.asm.bytes()/c.asm.elementBytes()
	others := append([]reg.Register{c.dst}, c.beside...)
	move := func(elements int) {
		for _, address := range others {
			c.asm.ADDQ(operand.I32(elements*size), address)
		}
		c.asm.ADDQ(operand.I32(elements*c.asm.sourceBytes()/length), c.x)
		c.asm.SUBQ(operand.I32(elements), c.width)
	}
	c.asm.Label("tiles")
	c.asm.CMPQ(c.width, operand.I32(tile*length))
	c.asm.JL(operand.LabelRef("vectors"))
	body("tile", tile)
	move(tile * length)
	c.asm.JMP(operand.LabelRef("tiles"))
	c.asm.Label("vectors")
	c.asm.CMPQ(c.width, operand.I32(length))
	c.asm.JL(operand.LabelRef("rest"))
	c.asm.Label("vector")
	body("vector", 1)
	move(length)
	c.asm.JMP(operand.LabelRef("vectors"))
	c.asm.Label("rest")
	c.asm.TESTQ(c.width, c.width)
	c.asm.JZ(operand.LabelRef("end"))
	back := c.asm.GP64()
	c.asm.MOVQ(c.width, back)
	c.asm.SUBQ(operand.I32(length), back)
	for _, address := range others {
		c.asm.LEAQ(operand.Mem{Base: address, Index: back, Scale: uint8(size)}, address)
	}
	c.asm.LEAQ(operand.Mem{Base: c.x, Index: back, Scale: uint8(c.asm.sourceBytes() / length)}, c.x)
	c.asm.MOVQ(operand.I32(length), c.width)
	c.asm.JMP(operand.LabelRef("vector"))
	c.asm.Label("end")
	c.asm.VZEROUPPER()
	c.asm.RET()
}

// operandsOf declares the result and the operand of a reduction to elements.
func (a *assembler) operandsOf(element string) string {
	if a.source == "" {
		return "dst, x *" + element
	}
	return "dst *" + element + ", x *byte"
}

// putElement stores the first element of x.
func (a *assembler) putElement(x reg.Register, to operand.Mem) {
	switch a.elementBytes() {
	case 1:
		a.VPEXTRB(operand.U8(0), x, to)
	case 2:
		a.VPEXTRW(operand.U8(0), x, to)
	default:
		a.of(a.VMOVSS, a.VMOVSD)(x, to)
	}
}

// leaf writes the reduction of the leaf at x to one lane, the first of its state; x moves behind the leaf.
func (t total) leaf(a *assembler, label string, x reg.Register) []reg.Register {
	return t.lane(a, t.lanesOfLeaf(a, label, x))
}

// lanesOfLeaf is leaf, but for the lanes of a vector.
func (t total) lanesOfLeaf(a *assembler, label string, x reg.Register) []reg.Register {
	const further = reductionLeaf/reductionLanes - 1
	unroll := 5
	if t.direct {
		unroll = further
	}
	states := make([][]reg.Register, t.vectorsOfRow(a))
	row := len(states) * a.sourceBytes()
	at := func(k, vector int) operand.Mem { return operand.Mem{Base: x, Disp: k*row + vector*a.sourceBytes()} }
	for j := range states {
		states[j] = t.begin(a, at(0, j))
	}
	rest := a.GP64()
	if unroll < further {
		a.MOVQ(operand.I32(further/unroll), rest)
		a.Label(label + "Rows")
	}
	for k := range unroll {
		for j, state := range states {
			t.step(a, state, at(1+k, j))
		}
	}
	if unroll < further {
		a.ADDQ(operand.I32(unroll*row), x)
		a.DECQ(rest)
		a.JNZ(operand.LabelRef(label + "Rows"))
		a.ADDQ(operand.I32(row), x)
	} else {
		a.ADDQ(operand.I32(reductionLeaf/reductionLanes*row), x)
	}
	return t.halve(a, states)
}

// halve joins the upper half of states with the lower one, until one is left.
func (t total) halve(a *assembler, states [][]reg.Register) []reg.Register {
	for count := len(states) / 2; count > 0; count /= 2 {
		for j := range count {
			t.join(a, states[j], states[j+count])
		}
	}
	return states[0]
}

// lane joins the lanes of a vector.
func (t total) lane(a *assembler, lane []reg.Register) []reg.Register {
	for bytes := a.bytes() / 2; bytes >= a.elementBytes(); bytes /= 2 {
		lane = t.fold(a, lane, bytes)
	}
	return lane
}

// fold joins the upper half of vectors of 2*bytes with the lower one.
func (t total) fold(a *assembler, state []reg.Register, bytes int) []reg.Register {
	upper, lower := make([]reg.Register, len(state)), make([]reg.Register, len(state))
	for i, v := range state {
		lower[i] = short(v)
		upper[i] = a.XMM()
		switch bytes {
		case 32:
			lower[i], upper[i] = v.(vector).AsY(), a.YMM()
			a.VEXTRACTF64X4(operand.U8(1), v, upper[i])
		case 16:
			if a.wide {
				a.VEXTRACTF32X4(operand.U8(1), v.(vector).AsY(), upper[i])
			} else {
				a.VEXTRACTF128(operand.U8(1), v, upper[i])
			}
		case 8:
			a.VPSHUFD(operand.U8(0x4E), lower[i], upper[i])
		case 4:
			a.VPSHUFD(operand.U8(0xB1), lower[i], upper[i])
		case 2:
			a.VPSRLD(operand.U8(16), lower[i], upper[i])
		case 1:
			a.VPSRLW(operand.U8(8), lower[i], upper[i])
		}
	}
	t.join(a, lower, upper)
	return lower
}

// short is the first 16 bytes of v.
func short(v reg.Register) reg.Register { return v.(vector).AsX() }
