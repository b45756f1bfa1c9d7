package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeFourier writes the passes of Fourier transforms of radix 2 to 5, in the steps of package fourier.
func writeFourier(f *file) {
	var table strings.Builder
	fmt.Fprintln(&table, "\nfunc init() {")
	for _, double := range []bool{false, true} {
		fmt.Fprintf(&table, "\tassembled%d = [2]assembledPasses[float%d]{\n", floatBits(double), floatBits(double))
		f.each(double, func(a *assembler) {
			p := fourierPass{asm: a}
			functions := []string{
				p.first("eightFirst", 8), p.first("fourFirst", 4),
				p.rows("eightRows", 8, true), p.rows("eightLast", 8, false), p.rows("fiveRows", 5, true), p.rows("fourRows", 4, true), p.rows("fourLast", 4, false),
				p.rows("threeRows", 3, true), p.rows("twoRows", 2, true), p.rows("twoLast", 2, false),
				p.scaled("scaled", false), p.scaled("exchanged", true), p.products("product", false), p.products("conjugateProduct", true),
				p.halves("unpack", true), p.halves("pack", false), p.wholeLines("unpackLines", true), p.wholeLines("packLines", false), p.turnedRows("turnedRows"), p.acrossRows("acrossRows"),
			}
			fmt.Fprintf(&table, "\t\t{%s},\n", strings.Join(functions, ", "))
		})
		fmt.Fprintln(&table, "\t}")
	}
	fmt.Fprintln(&table, "}")
	f.appendix = table.String()
}

func floatBits(double bool) int {
	if double {
		return 64
	}
	return 32
}

// fourierPass writes a pass. Vectors have the real and imaginary parts of numbers beside one another.
type fourierPass struct {
	asm                       *assembler
	imaginarySigns, realSigns vector // the signs of imaginary parts, and of real ones
}

// size is the bytes of a number.
func (p *fourierPass) size() int { return floatBits(p.asm.double) / 4 }

// signs loads the signs of every second element, from the given one on.
func (p *fourierPass) signs(name string, first, second uint64) vector {
	if !p.asm.double {
		first = second<<63 | first<<31
		return p.asm.loaded(p.asm.table(name+"32", first, first, first, first, first, first, first, first))
	}
	first, second = first<<63, second<<63
	return p.asm.loaded(p.asm.table(name+"64", first, second, first, second, first, second, first, second))
}

// exchanged is x with the parts of its numbers the other way round.
func (p *fourierPass) exchanged(x vector) vector {
	if p.asm.double {
		return p.asm.apply(p.asm.VPERMILPD, nil, operand.U8(0x55), x)
	}
	return p.asm.apply(p.asm.VPERMILPS, nil, operand.U8(0xB1), x)
}

// unitRoot is a factor: its real parts, and its imaginary ones, negative beside real parts.
type unitRoot struct{ re, im vector }

// one broadcasts the root at an address.
func (p *fourierPass) one(address reg.Register, offset int) unitRoot {
	at := operand.Mem{Base: address, Disp: offset}
	return unitRoot{p.asm.spread(at), p.asm.xor(p.asm.spread(at.Offset(p.size()/2)), p.realSigns)}
}

// several loads a root for each number.
func (p *fourierPass) several(at operand.Mem) unitRoot { return p.parted(p.asm.loaded(at)) }

// parted has a root for each number of w.
func (p *fourierPass) parted(w vector) unitRoot {
	re, im := p.asm.vector(), p.asm.vector()
	if p.asm.double {
		p.asm.VMOVDDUP(w, re)
		p.asm.VPERMILPD(operand.U8(0xFF), w, im)
	} else {
		p.asm.VMOVSLDUP(w, re)
		p.asm.VMOVSHDUP(w, im)
	}
	return unitRoot{re, p.asm.xor(im, p.realSigns)}
}

func (p *fourierPass) times(x vector, w unitRoot) vector {
	first, second := p.asm.multiply(x, w.re), p.asm.multiply(p.exchanged(x), w.im)
	return p.asm.add(first, second)
}

// four is the butterfly of radix 4 of sums, those of x[0] and x[2], and of x[1] and x[3], taken or not.
func (p *fourierPass) four(x [4]vector, result func(k int, y vector)) {
	even, difference := p.asm.add(x[0], x[2]), p.asm.subtract(x[0], x[2])
	odd, turned := p.asm.add(x[1], x[3]), p.turned(p.asm.subtract(x[1], x[3]))
	result(0, p.asm.add(even, odd))
	result(1, p.asm.add(difference, turned))
	result(2, p.asm.subtract(even, odd))
	result(3, p.asm.subtract(difference, turned))
}

// eight is the butterfly of radix 8: those of radix 4 of the sums of x[j] and x[j+4], and of the differences, turned by eighths.
func (p *fourierPass) eight(x rowPlaces, result func(k int, y vector)) {
	var sums, differences [4]vector
	for j := range sums {
		a, b := p.asm.loaded(x.at(j)), p.asm.loaded(x.at(j+4))
		sums[j], differences[j] = p.asm.add(a, b), p.asm.subtract(a, b)
	}
	p.four(sums, func(k int, y vector) { result(2*k, y) })
	eighth := p.asm.number(math.Sqrt2 / 2)
	turned := p.turned(differences[1])
	differences[1] = p.asm.multiply(p.asm.add(differences[1], turned), eighth)
	differences[2] = p.turned(differences[2])
	turned = p.turned(differences[3])
	differences[3] = p.asm.multiply(p.asm.subtract(turned, differences[3]), eighth)
	p.four(differences, func(k int, y vector) { result(2*k+1, y) })
}

// turned is −i·x.
func (p *fourierPass) turned(x vector) vector { return p.asm.xor(p.exchanged(x), p.imaginarySigns) }

// The cosines and sines of a third and of one and two fifths of a turn.
const (
	sine3                 = -0.86602540378443864676
	cosine5, cosine5Twice = 0.30901699437494742410, -0.80901699437494742410
	sine5, sine5Twice     = -0.95105651629515357212, -0.58778525229247312917
)

// three is the butterfly of radix 3.
func (p *fourierPass) three(x rowPlaces, result func(k int, y vector)) {
	a, b, c := p.asm.loaded(x.at(0)), p.asm.loaded(x.at(1)), p.asm.loaded(x.at(2))
	sum, difference := p.asm.add(b, c), p.asm.subtract(b, c)
	result(0, p.asm.add(a, sum))
	even := p.asm.add(a, p.asm.multiply(sum, p.asm.number(-0.5)))
	odd := p.asm.xor(p.exchanged(p.asm.multiply(difference, p.asm.number(sine3))), p.realSigns)
	result(1, p.asm.add(even, odd))
	result(2, p.asm.subtract(even, odd))
}

// five is the butterfly of radix 5.
func (p *fourierPass) five(x rowPlaces, result func(k int, y vector)) {
	a := p.asm.loaded(x.at(0))
	both := func(i, j int) (sum, difference vector) {
		b, c := p.asm.loaded(x.at(i)), p.asm.loaded(x.at(j))
		return p.asm.add(b, c), p.asm.subtract(b, c)
	}
	sum1, difference1 := both(1, 4)
	sum2, difference2 := both(2, 3)
	result(0, p.asm.add(p.asm.add(a, sum1), sum2))
	pair := func(k int, re1, re2, im1, im2 float64, join func(x vector, y operand.Op) vector) {
		even := p.asm.add(p.asm.add(a, p.asm.multiply(sum1, p.asm.number(re1))), p.asm.multiply(sum2, p.asm.number(re2)))
		odd := join(p.asm.multiply(difference1, p.asm.number(im1)), p.asm.multiply(difference2, p.asm.number(im2)))
		odd = p.turned(odd)
		result(k, p.asm.subtract(even, odd))
		result(5-k, p.asm.add(even, odd))
	}
	pair(1, cosine5, cosine5Twice, sine5, sine5Twice, p.asm.add)
	pair(2, cosine5Twice, cosine5, sine5Twice, sine5, p.asm.subtract)
}

// rowPlaces are the addresses of up to eight rows, of which the others are steps apart from the first.
type rowPlaces struct {
	moving []reg.Register // of row 0, of row 1, and of row 6 if there is one
	step   reg.Register
}

func (p *fourierPass) places(first, step reg.Register, rows int) rowPlaces {
	second := p.asm.GP64()
	p.asm.LEAQ(operand.Mem{Base: first, Index: step, Scale: 1}, second)
	l := rowPlaces{[]reg.Register{first, second}, step}
	if rows > 6 {
		last := p.asm.GP64()
		p.asm.LEAQ(operand.Mem{Base: second, Index: step, Scale: 4}, last)
		p.asm.ADDQ(step, last)
		l.moving = append(l.moving, last)
	}
	return l
}

func (l rowPlaces) at(k int) operand.Mem {
	switch k {
	case 0:
		return operand.Mem{Base: l.moving[0]}
	case 2, 4:
		return operand.Mem{Base: l.moving[0], Index: l.step, Scale: uint8(k)}
	case 1:
		return operand.Mem{Base: l.moving[1]}
	case 3, 5:
		return operand.Mem{Base: l.moving[1], Index: l.step, Scale: uint8(k - 1)}
	case 6:
		return operand.Mem{Base: l.moving[2]}
	}
	return operand.Mem{Base: l.moving[2], Index: l.step, Scale: 1}
}

// fourOf is four of rows.
func (p *fourierPass) fourOf(x rowPlaces, result func(k int, y vector)) {
	var numbers [4]vector
	for j := range numbers {
		numbers[j] = p.asm.loaded(x.at(j))
	}
	p.four(numbers, result)
}

// move moves the addresses by so many bytes.
func (p *fourierPass) move(l rowPlaces, bytes operand.Op) {
	for _, address := range l.moving {
		p.asm.ADDQ(bytes, address)
	}
}

// passParameters are those of a pass: distances and width are in bytes. Steps are from one of the rows that are joined
// to the next, skips from the end of a row to the first row of the next p, and y and x are moved from one line to the
// next.
const passParameters = "y, x, roots *float%d, count, width, yStep, xStep, ySkip, xSkip, lines, yNext, xNext int"

// place is where a parameter is.
func (p *fourierPass) place(name string) operand.Mem {
	at, err := p.asm.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return at.Addr
}

// parameter loads a parameter.
func (p *fourierPass) parameter(name string) reg.Register {
	return p.asm.Load(p.asm.Param(name), p.asm.GP64())
}

// begun begins a pass.
func (p *fourierPass) begun(name, doc string) string {
	name = fmt.Sprint(name, floatBits(p.asm.double))
	p.asm.begin(name, fmt.Sprintf(passParameters, floatBits(p.asm.double)), doc)
	return name + p.asm.suffix()
}

// line begins a line, and returns where its rows are.
func (p *fourierPass) line(yStep, xStep reg.Register, yRows, xRows int) (y, x rowPlaces) {
	p.asm.Label("lines")
	return p.places(p.parameter("y"), yStep, yRows), p.places(p.parameter("x"), xStep, xRows)
}

// ended ends a line, and the pass after the last of them.
func (p *fourierPass) ended() {
	p.asm.ADDQ(p.parameter("yNext"), p.place("y"))
	p.asm.ADDQ(p.parameter("xNext"), p.place("x"))
	p.asm.DECQ(p.place("lines"))
	p.asm.JNZ(operand.LabelRef("lines"))
	p.asm.VZEROUPPER()
	p.asm.RET()
}

// rows writes a pass of rows, with roots or without.
func (p *fourierPass) rows(name string, radix int, hasRoots bool) string {
	name = p.begun(name, fmt.Sprintf("is a pass of radix %d of rows of a positive multiple of %d numbers; see passCode.", radix, p.asm.bytes()/p.size()))
	width, xStep, yStep := p.parameter("width"), p.parameter("xStep"), p.parameter("yStep")
	if hasRoots {
		p.realSigns = p.signs("realSigns", 1, 0)
	}
	p.imaginarySigns = p.signs("imaginarySigns", 0, 1)
	y, x := p.line(yStep, xStep, radix, radix)
	count, left := p.parameter("count"), p.asm.GP64()
	var roots reg.Register
	if hasRoots {
		roots = p.parameter("roots")
	}
	p.asm.Label("rows")
	factors := []unitRoot{{}}
	isKept := radix%2 == 0 && (radix < 8 || p.asm.wide) // others have no registers for them
	if hasRoots {
		for k := 1; k < radix && isKept; k++ {
			factors = append(factors, p.one(roots, (k-1)*p.size()))
		}
		p.asm.ADDQ(operand.I32((radix-1)*p.size()), roots)
	}
	p.asm.MOVQ(width, left)
	p.asm.Label("numbers")
	result := func(k int, v vector) {
		switch {
		case k == 0 || !hasRoots:
		case isKept:
			v = p.times(v, factors[k])
		default:
			v = p.times(v, p.one(roots, (k-radix)*p.size()))
		}
		p.asm.storeTo(v, y.at(k))
	}
	switch radix {
	case 8:
		p.eight(x, result)
	case 5:
		p.five(x, result)
	case 4:
		p.fourOf(x, result)
	case 3:
		p.three(x, result)
	default:
		a, b := p.asm.loaded(x.at(0)), p.asm.loaded(x.at(1))
		result(0, p.asm.add(a, b))
		result(1, p.asm.subtract(a, b))
	}
	vector := operand.I32(p.asm.bytes())
	p.move(x, vector)
	p.move(y, vector)
	p.asm.SUBQ(vector, left)
	p.asm.JNZ(operand.LabelRef("numbers"))
	p.move(x, p.place("xSkip"))
	p.move(y, p.place("ySkip"))
	p.asm.DECQ(count)
	p.asm.JNZ(operand.LabelRef("rows"))
	p.ended()
	return name
}

// first writes a pass of rows of one number.
func (p *fourierPass) first(name string, radix int) string {
	name = p.begun(name, fmt.Sprintf("is a pass of radix %d of rows of one number, a positive multiple of %d transforms; see passCode.", radix, p.asm.bytes()/p.size()))
	step := p.parameter("xStep")
	p.realSigns, p.imaginarySigns = p.signs("realSigns", 1, 0), p.signs("imaginarySigns", 0, 1)
	to, x := p.line(step, step, 2, radix)
	w, count := p.places(p.parameter("roots"), step, radix-1), p.parameter("count")
	p.asm.Label("numbers")
	y := make([]vector, radix)
	result := func(k int, v vector) {
		if k > 0 {
			v = p.times(v, p.several(w.at(k-1)))
		}
		y[k] = v
	}
	if radix == 8 {
		p.eight(x, result)
	} else {
		p.fourOf(x, result)
	}
	for i, v := range p.beside(y) {
		p.asm.store(v, to.moving[0], i*p.asm.bytes())
	}
	vector := operand.I32(p.asm.bytes())
	p.move(x, vector)
	p.move(w, vector)
	p.asm.ADDQ(operand.I32(radix*p.asm.bytes()), to.moving[0])
	p.asm.SUBQ(operand.I32(p.asm.bytes()/p.size()), count)
	p.asm.JNZ(operand.LabelRef("numbers"))
	p.ended()
	return name
}

// scaled writes products with a real factor, the parts of which may change places.
func (p *fourierPass) scaled(name string, exchanged bool) string {
	which := "multiplies"
	if exchanged {
		which = "exchanges the parts of, and multiplies,"
	}
	name = fmt.Sprint(name, floatBits(p.asm.double))
	element := fmt.Sprintf("float%d", floatBits(p.asm.double))
	p.asm.begin(name, "dst, src *"+element+", factor "+element+", count int", fmt.Sprintf("%s count numbers, a positive multiple of %d.", which, p.asm.bytes()/p.size()))
	dst, src := p.asm.Load(p.asm.Param("dst"), p.asm.GP64()), p.asm.Load(p.asm.Param("src"), p.asm.GP64())
	factor := p.asm.spread(p.place("factor"))
	count := p.asm.Load(p.asm.Param("count"), p.asm.GP64())
	p.asm.Label("numbers")
	x := p.asm.load(src, 0)
	if exchanged {
		x = p.exchanged(x)
	}
	p.asm.store(p.asm.multiply(x, factor), dst, 0)
	p.asm.ADDQ(operand.I32(p.asm.bytes()), src)
	p.asm.ADDQ(operand.I32(p.asm.bytes()), dst)
	p.asm.SUBQ(operand.I32(p.asm.bytes()/p.size()), count)
	p.asm.JNZ(operand.LabelRef("numbers"))
	p.asm.VZEROUPPER()
	p.asm.RET()
	return name + p.asm.suffix()
}

// products writes products, or what is conjugate to them.
func (p *fourierPass) products(name string, conjugate bool) string {
	which := "the products of x and y"
	if conjugate {
		which = "what is conjugate to the products of x and y"
	}
	name = fmt.Sprint(name, floatBits(p.asm.double))
	p.asm.begin(name, fmt.Sprintf("dst, x, y *float%d, count int", floatBits(p.asm.double)),
		fmt.Sprintf("writes %s, count numbers, a positive multiple of %d.", which, p.asm.bytes()/p.size()))
	dst, x, y := p.asm.Load(p.asm.Param("dst"), p.asm.GP64()), p.asm.Load(p.asm.Param("x"), p.asm.GP64()), p.asm.Load(p.asm.Param("y"), p.asm.GP64())
	count := p.asm.Load(p.asm.Param("count"), p.asm.GP64())
	p.realSigns, p.imaginarySigns = p.signs("realSigns", 1, 0), p.signs("imaginarySigns", 0, 1)
	p.asm.Label("numbers")
	product := p.times(p.asm.load(x, 0), p.several(operand.Mem{Base: y}))
	if conjugate {
		product = p.asm.xor(product, p.imaginarySigns)
	}
	p.asm.store(product, dst, 0)
	for _, address := range []reg.Register{dst, x, y} {
		p.asm.ADDQ(operand.I32(p.asm.bytes()), address)
	}
	p.asm.SUBQ(operand.I32(p.asm.bytes()/p.size()), count)
	p.asm.JNZ(operand.LabelRef("numbers"))
	p.asm.VZEROUPPER()
	p.asm.RET()
	return name + p.asm.suffix()
}

// beside puts the numbers of four or eight vectors beside one another: the first of each, then the second of each.
func (p *fourierPass) beside(y []vector) []vector {
	if len(y) == 4 {
		return p.fourBeside(y)
	}
	if p.asm.wide && !p.asm.double { // a vector has eight numbers: pairs of vectors fill lanes of 16 bytes
		var pairs [2][]vector
		for i := 0; i < len(y); i += 2 {
			pairs[0] = append(pairs[0], p.asm.apply(p.asm.VUNPCKLPD, nil, y[i+1], y[i]))
			pairs[1] = append(pairs[1], p.asm.apply(p.asm.VUNPCKHPD, nil, y[i+1], y[i]))
		}
		even, odd := p.lanesBeside(pairs[0]), p.lanesBeside(pairs[1])
		return []vector{even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]}
	}
	front, back := p.fourBeside(y[:4]), p.fourBeside(y[4:])
	each, result := 4*p.size()/p.asm.bytes(), []vector{} // so many vectors have the same number of four vectors
	for i := 0; i < len(front); i += each {
		result = append(append(result, front[i:i+each]...), back[i:i+each]...)
	}
	return result
}

// fourBeside is beside of four vectors.
func (p *fourierPass) fourBeside(y []vector) []vector {
	if !p.asm.double { // pairs of numbers, which fill lanes of 16 bytes
		pair := func(write instruction, a, b vector) vector { return p.asm.apply(write, nil, b, a) }
		low, high := instruction(p.asm.VUNPCKLPD), instruction(p.asm.VUNPCKHPD)
		y = []vector{pair(low, y[0], y[1]), pair(low, y[2], y[3]), pair(high, y[0], y[1]), pair(high, y[2], y[3])}
	}
	return p.lanesBeside(y)
}

// lanesBeside puts the lanes of four vectors beside one another.
func (p *fourierPass) lanesBeside(y []vector) []vector {
	lanes := func(selection uint8, a, b vector) vector {
		if p.asm.wide {
			return p.asm.apply(p.asm.VSHUFF64X2, nil, operand.U8(selection), b, a)
		}
		return p.asm.apply(func(o ...operand.Op) { p.asm.VPERM2F128(o[0], o[1], o[2], o[3]) }, nil, operand.U8(selection), b, a)
	}
	if !p.asm.wide {
		return []vector{lanes(0x20, y[0], y[1]), lanes(0x20, y[2], y[3]), lanes(0x31, y[0], y[1]), lanes(0x31, y[2], y[3])}
	}
	front := [2]vector{lanes(0x44, y[0], y[1]), lanes(0x44, y[2], y[3])}
	back := [2]vector{lanes(0xEE, y[0], y[1]), lanes(0xEE, y[2], y[3])}
	return []vector{
		lanes(0x88, front[0], front[1]), lanes(0xDD, front[0], front[1]), lanes(0x88, back[0], back[1]), lanes(0xDD, back[0], back[1]),
	}
}
