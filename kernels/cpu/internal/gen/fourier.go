package main

import (
	"fmt"
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
			p := fourierPass{assembler: a}
			fmt.Fprintf(&table, "\t\t{%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s},\n", p.first(), p.rows("fourRows", 4, true), p.rows("fourLast", 4, false),
				p.rows("twoRows", 2, true), p.rows("twoLast", 2, false), p.rows("threeRows", 3, true), p.rows("fiveRows", 5, true), p.scaled("scaled", false), p.scaled("exchanged", true),
				p.products("product", false), p.products("conjugateProduct", true), p.halves("unpack", true), p.halves("pack", false))
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
	*assembler
	imaginarySigns, realSigns vector // the signs of imaginary parts, and of real ones
}

// size is the bytes of a number.
func (p *fourierPass) size() int { return floatBits(p.double) / 4 }

func (p *fourierPass) start(name, parameters string, doc ...string) (string, string) {
	name = fmt.Sprint(name, floatBits(p.double))
	element := fmt.Sprintf("*float%d", floatBits(p.double))
	p.begin(name, "dst, src, roots "+element+", "+parameters, doc...)
	return name + p.suffix(), element
}

// signs loads the signs of every second element, from the given one on.
func (p *fourierPass) signs(name string, first, second uint64) vector {
	if !p.double {
		first = second<<63 | first<<31
		return p.loaded(p.table(name+"32", first, first, first, first, first, first, first, first))
	}
	first, second = first<<63, second<<63
	return p.loaded(p.table(name+"64", first, second, first, second, first, second, first, second))
}

// exchanged is x with the parts of its numbers the other way round.
func (p *fourierPass) exchanged(x vector) vector {
	if p.double {
		return p.apply(p.VPERMILPD, nil, operand.U8(0x55), x)
	}
	return p.apply(p.VPERMILPS, nil, operand.U8(0xB1), x)
}

// unitRoot is a factor: its real parts, and its imaginary ones, negative beside real parts.
type unitRoot struct{ re, im vector }

// one broadcasts the root at an address.
func (p *fourierPass) one(address reg.Register, offset int) unitRoot {
	at := operand.Mem{Base: address, Disp: offset}
	return unitRoot{p.spread(at), p.xor(p.spread(at.Offset(p.size()/2)), p.realSigns)}
}

// several loads a root for each number.
func (p *fourierPass) several(at operand.Mem) unitRoot {
	re, im := p.vector(), p.vector()
	w := p.loaded(at)
	if p.double {
		p.VMOVDDUP(w, re)
		p.VPERMILPD(operand.U8(0xFF), w, im)
	} else {
		p.VMOVSLDUP(w, re)
		p.VMOVSHDUP(w, im)
	}
	return unitRoot{re, p.xor(im, p.realSigns)}
}

func (p *fourierPass) times(x vector, w unitRoot) vector {
	first, second := p.multiply(x, w.re), p.multiply(p.exchanged(x), w.im)
	return p.add(first, second)
}

// four is the butterfly of radix 4, result by result; roots has those of all but the first, nothing if they are ones.
func (p *fourierPass) four(x [4]operand.Mem, roots func(k int) unitRoot, result func(k int, y vector)) {
	a, c := p.loaded(x[0]), p.loaded(x[2])
	even, difference := p.add(a, c), p.subtract(a, c)
	b, d := p.loaded(x[1]), p.loaded(x[3])
	odd, turned := p.add(b, d), p.xor(p.exchanged(p.subtract(b, d)), p.imaginarySigns)
	finish := func(k int, y vector) {
		if k > 0 && roots != nil {
			y = p.times(y, roots(k))
		}
		result(k, y)
	}
	finish(0, p.add(even, odd))
	finish(1, p.add(difference, turned))
	finish(2, p.subtract(even, odd))
	finish(3, p.subtract(difference, turned))
}

// The cosines and sines of a third and of one and two fifths of a turn.
const (
	sine3                 = -0.86602540378443864676
	cosine5, cosine5Twice = 0.30901699437494742410, -0.80901699437494742410
	sine5, sine5Twice     = -0.95105651629515357212, -0.58778525229247312917
)

// three is the butterfly of radix 3.
func (p *fourierPass) three(x rowPlaces, result func(k int, y vector)) {
	a, b, c := p.loaded(x.at(0)), p.loaded(x.at(1)), p.loaded(x.at(2))
	sum, difference := p.add(b, c), p.subtract(b, c)
	result(0, p.add(a, sum))
	even := p.add(a, p.multiply(sum, p.number(-0.5)))
	odd := p.xor(p.exchanged(p.multiply(difference, p.number(sine3))), p.realSigns)
	result(1, p.add(even, odd))
	result(2, p.subtract(even, odd))
}

// five is the butterfly of radix 5.
func (p *fourierPass) five(x rowPlaces, result func(k int, y vector)) {
	a := p.loaded(x.at(0))
	both := func(i, j int) (sum, difference vector) {
		b, c := p.loaded(x.at(i)), p.loaded(x.at(j))
		return p.add(b, c), p.subtract(b, c)
	}
	sum1, difference1 := both(1, 4)
	sum2, difference2 := both(2, 3)
	result(0, p.add(p.add(a, sum1), sum2))
	pair := func(k int, re1, re2, im1, im2 float64, join func(x vector, y operand.Op) vector) {
		even := p.add(p.add(a, p.multiply(sum1, p.number(re1))), p.multiply(sum2, p.number(re2)))
		odd := join(p.multiply(difference1, p.number(im1)), p.multiply(difference2, p.number(im2)))
		odd = p.xor(p.exchanged(odd), p.imaginarySigns)
		result(k, p.subtract(even, odd))
		result(5-k, p.add(even, odd))
	}
	pair(1, cosine5, cosine5Twice, sine5, sine5Twice, p.add)
	pair(2, cosine5Twice, cosine5, sine5Twice, sine5, p.subtract)
}

// rowPlaces are the addresses of up to five rows, of which the others are steps apart from the first.
type rowPlaces struct{ first, second, step reg.Register }

func (p *fourierPass) places(first, step reg.Register) rowPlaces {
	second := p.GP64()
	p.LEAQ(operand.Mem{Base: first, Index: step, Scale: 1}, second)
	return rowPlaces{first, second, step}
}

func (l rowPlaces) at(k int) operand.Mem {
	switch k {
	case 0:
		return operand.Mem{Base: l.first}
	case 1:
		return operand.Mem{Base: l.second}
	case 2:
		return operand.Mem{Base: l.first, Index: l.step, Scale: 2}
	case 4:
		return operand.Mem{Base: l.first, Index: l.step, Scale: 4}
	}
	return operand.Mem{Base: l.second, Index: l.step, Scale: 2}
}

func (l rowPlaces) all() [4]operand.Mem { return [4]operand.Mem{l.at(0), l.at(1), l.at(2), l.at(3)} }

// move moves the addresses by so many bytes.
func (p *fourierPass) move(l rowPlaces, bytes operand.Op) {
	p.ADDQ(bytes, l.first)
	p.ADDQ(bytes, l.second)
}

// rows writes a pass of rows, with roots or without.
func (p *fourierPass) rows(name string, radix int, hasRoots bool) string {
	name, _ = p.start(name, "count, width int",
		fmt.Sprintf("is a pass of radix %d of rows of width numbers, a positive multiple of %d; see pass.", radix, p.bytes()/p.size()))
	dst, src := p.Load(p.Param("dst"), p.GP64()), p.Load(p.Param("src"), p.GP64())
	width, step := p.Load(p.Param("width"), p.GP64()), p.GP64()
	p.IMUL3Q(operand.I32(p.size()), width, width)
	p.MOVQ(width, step)
	var roots, count reg.Register
	if hasRoots {
		roots, count = p.Load(p.Param("roots"), p.GP64()), p.Load(p.Param("count"), p.GP64())
		p.IMULQ(count, step)
		p.realSigns = p.signs("realSigns", 1, 0)
	}
	p.imaginarySigns = p.signs("imaginarySigns", 0, 1)
	x, y, left := p.places(src, step), p.places(dst, width), p.GP64()
	factors := []unitRoot{{}}
	if hasRoots {
		p.Label("rows")
		for k := 1; k < radix && radix%2 == 0; k++ { // odd radices have no registers for them
			factors = append(factors, p.one(roots, (k-1)*p.size()))
		}
		p.ADDQ(operand.I32((radix-1)*p.size()), roots)
	}
	p.MOVQ(width, left)
	p.Label("numbers")
	result := func(k int, v vector) { p.storeTo(v, y.at(k)) }
	switch {
	case radix == 4 && hasRoots:
		p.four(x.all(), func(k int) unitRoot { return factors[k] }, result)
	case radix == 4:
		p.four(x.all(), nil, result)
	case radix == 3 || radix == 5:
		results := func(k int, v vector) {
			if k > 0 {
				v = p.times(v, p.one(roots, (k-radix)*p.size()))
			}
			result(k, v)
		}
		if radix == 3 {
			p.three(x, results)
		} else {
			p.five(x, results)
		}
	default:
		a, b := p.loaded(x.at(0)), p.loaded(x.at(1))
		difference := p.subtract(a, b)
		if hasRoots {
			difference = p.times(difference, factors[1])
		}
		result(0, p.add(a, b))
		result(1, difference)
	}
	vector := operand.I32(p.bytes())
	p.move(x, vector)
	p.move(y, vector)
	p.SUBQ(vector, left)
	p.JNZ(operand.LabelRef("numbers"))
	if hasRoots {
		for range radix - 1 {
			p.move(y, width)
		}
		p.DECQ(count)
		p.JNZ(operand.LabelRef("rows"))
	}
	p.VZEROUPPER()
	p.RET()
	return name
}

// first writes a pass of radix 4 of rows of one number.
func (p *fourierPass) first() string {
	name, _ := p.start("fourFirst", "stride, count int",
		fmt.Sprintf("is a pass of radix 4 of rows of one number for count transforms, a positive multiple of %d, of stride; see pass.", p.bytes()/p.size()))
	dst, src := p.Load(p.Param("dst"), p.GP64()), p.Load(p.Param("src"), p.GP64())
	roots, count := p.Load(p.Param("roots"), p.GP64()), p.Load(p.Param("count"), p.GP64())
	step := p.Load(p.Param("stride"), p.GP64())
	p.IMUL3Q(operand.I32(p.size()), step, step)
	p.realSigns, p.imaginarySigns = p.signs("realSigns", 1, 0), p.signs("imaginarySigns", 0, 1)
	x, w := p.places(src, step), p.places(roots, step)
	p.Label("numbers")
	var y [4]vector
	p.four(x.all(), func(k int) unitRoot { return p.several(w.at(k - 1)) }, func(k int, v vector) { y[k] = v })
	for i, v := range p.beside(y) {
		p.store(v, dst, i*p.bytes())
	}
	vector := operand.I32(p.bytes())
	p.move(x, vector)
	p.move(w, vector)
	p.ADDQ(operand.I32(4*p.bytes()), dst)
	p.SUBQ(operand.I32(p.bytes()/p.size()), count)
	p.JNZ(operand.LabelRef("numbers"))
	p.VZEROUPPER()
	p.RET()
	return name
}

// scaled writes products with a real factor, the parts of which may change places.
func (p *fourierPass) scaled(name string, exchanged bool) string {
	which := "multiplies"
	if exchanged {
		which = "exchanges the parts of, and multiplies,"
	}
	name = fmt.Sprint(name, floatBits(p.double))
	element := fmt.Sprintf("float%d", floatBits(p.double))
	p.begin(name, "dst, src *"+element+", factor "+element+", count int", fmt.Sprintf("%s count numbers, a positive multiple of %d.", which, p.bytes()/p.size()))
	dst, src := p.Load(p.Param("dst"), p.GP64()), p.Load(p.Param("src"), p.GP64())
	at, err := p.Param("factor").Resolve()
	if err != nil {
		panic(err)
	}
	factor := p.spread(at.Addr)
	count := p.Load(p.Param("count"), p.GP64())
	p.Label("numbers")
	x := p.load(src, 0)
	if exchanged {
		x = p.exchanged(x)
	}
	p.store(p.multiply(x, factor), dst, 0)
	p.ADDQ(operand.I32(p.bytes()), src)
	p.ADDQ(operand.I32(p.bytes()), dst)
	p.SUBQ(operand.I32(p.bytes()/p.size()), count)
	p.JNZ(operand.LabelRef("numbers"))
	p.VZEROUPPER()
	p.RET()
	return name + p.suffix()
}

// products writes products, or what is conjugate to them.
func (p *fourierPass) products(name string, conjugate bool) string {
	which := "the products of x and y"
	if conjugate {
		which = "what is conjugate to the products of x and y"
	}
	name = fmt.Sprint(name, floatBits(p.double))
	p.begin(name, fmt.Sprintf("dst, x, y *float%d, count int", floatBits(p.double)),
		fmt.Sprintf("writes %s, count numbers, a positive multiple of %d.", which, p.bytes()/p.size()))
	dst, x, y := p.Load(p.Param("dst"), p.GP64()), p.Load(p.Param("x"), p.GP64()), p.Load(p.Param("y"), p.GP64())
	count := p.Load(p.Param("count"), p.GP64())
	p.realSigns, p.imaginarySigns = p.signs("realSigns", 1, 0), p.signs("imaginarySigns", 0, 1)
	p.Label("numbers")
	product := p.times(p.load(x, 0), p.several(operand.Mem{Base: y}))
	if conjugate {
		product = p.xor(product, p.imaginarySigns)
	}
	p.store(product, dst, 0)
	for _, address := range []reg.Register{dst, x, y} {
		p.ADDQ(operand.I32(p.bytes()), address)
	}
	p.SUBQ(operand.I32(p.bytes()/p.size()), count)
	p.JNZ(operand.LabelRef("numbers"))
	p.VZEROUPPER()
	p.RET()
	return name + p.suffix()
}

// halves writes the step between the transform of complex numbers and that of twice as many real ones, or the one back.
func (p *fourierPass) halves(name string, unpacks bool) string {
	name = fmt.Sprint(name, floatBits(p.double))
	p.begin(name, fmt.Sprintf("front, back, roots *float%d, count, conjugate int", floatBits(p.double)),
		fmt.Sprintf("is that of package fourier for count numbers from front on, a positive multiple of %d, and those that end with the vector at back;", p.bytes()/p.size()),
		"numbers are conjugate if conjugate is not 0, but −1.")
	front, back := p.Load(p.Param("front"), p.GP64()), p.Load(p.Param("back"), p.GP64())
	roots, count := p.Load(p.Param("roots"), p.GP64()), p.Load(p.Param("count"), p.GP64())
	at, err := p.Param("conjugate").Resolve()
	if err != nil {
		panic(err)
	}
	mask := p.vector()
	p.VPBROADCASTQ(at.Addr, mask)
	p.realSigns, p.imaginarySigns = p.signs("realSigns", 1, 0), p.signs("imaginarySigns", 0, 1)
	flips := p.and(mask, p.imaginarySigns)
	order := p.reversal()
	half := p.spread(p.number(0.5))
	p.Label("numbers")
	a, b := p.load(front, 0), p.xor(p.reversed(p.load(back, 0), order), p.imaginarySigns)
	if !unpacks {
		a, b = p.xor(a, flips), p.xor(b, flips)
	}
	even, difference := p.add(a, b), p.subtract(a, b)
	w := p.several(operand.Mem{Base: roots})
	turned := func(x vector) vector { return p.xor(p.exchanged(x), p.imaginarySigns) }
	var first, last vector
	if unpacks {
		even = p.multiply(even, half)
		odd := p.times(p.multiply(turned(difference), half), w)
		first, last = p.xor(p.add(even, odd), flips), p.xor(p.subtract(even, odd), flips)
	} else {
		odd := turned(p.times(difference, w))
		first, last = p.subtract(even, odd), p.add(even, odd)
	}
	p.store(first, front, 0)
	p.store(p.reversed(p.xor(last, p.imaginarySigns), order), back, 0)
	p.ADDQ(operand.I32(p.bytes()), front)
	p.ADDQ(operand.I32(p.bytes()), roots)
	p.SUBQ(operand.I32(p.bytes()), back)
	p.SUBQ(operand.I32(p.bytes()/p.size()), count)
	p.JNZ(operand.LabelRef("numbers"))
	p.VZEROUPPER()
	p.RET()
	return name + p.suffix()
}

// reversal is what reversed needs.
func (p *fourierPass) reversal() vector {
	if !p.wide || p.double {
		return nil
	}
	return p.loaded(p.table("backward", 7, 6, 5, 4, 3, 2, 1, 0))
}

// reversed has the numbers of x in the other order.
func (p *fourierPass) reversed(x, order vector) vector {
	switch {
	case p.wide && p.double:
		return p.apply(p.VSHUFF64X2, nil, operand.U8(0x1B), x, x)
	case p.wide:
		result := p.vector()
		p.VPERMPD(x, order, result)
		return result
	case p.double:
		return p.apply(p.VPERMPD, nil, operand.U8(0x4E), x)
	}
	return p.apply(p.VPERMPD, nil, operand.U8(0x1B), x)
}

// beside puts the numbers of four vectors beside one another: the first of each, then the second of each.
func (p *fourierPass) beside(y [4]vector) []vector {
	if !p.double { // pairs of numbers, which fill lanes of 16 bytes
		pair := func(write instruction, a, b vector) vector { return p.apply(write, nil, b, a) }
		low, high := instruction(p.VUNPCKLPD), instruction(p.VUNPCKHPD)
		y = [4]vector{pair(low, y[0], y[1]), pair(low, y[2], y[3]), pair(high, y[0], y[1]), pair(high, y[2], y[3])}
	}
	lanes := func(selection uint8, a, b vector) vector {
		if p.wide {
			return p.apply(p.VSHUFF64X2, nil, operand.U8(selection), b, a)
		}
		return p.apply(func(o ...operand.Op) { p.VPERM2F128(o[0], o[1], o[2], o[3]) }, nil, operand.U8(selection), b, a)
	}
	if !p.wide {
		return []vector{lanes(0x20, y[0], y[1]), lanes(0x20, y[2], y[3]), lanes(0x31, y[0], y[1]), lanes(0x31, y[2], y[3])}
	}
	front := [2]vector{lanes(0x44, y[0], y[1]), lanes(0x44, y[2], y[3])}
	back := [2]vector{lanes(0xEE, y[0], y[1]), lanes(0xEE, y[2], y[3])}
	return []vector{
		lanes(0x88, front[0], front[1]), lanes(0xDD, front[0], front[1]), lanes(0x88, back[0], back[1]), lanes(0xDD, back[0], back[1]),
	}
}
