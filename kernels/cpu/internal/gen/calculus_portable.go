package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// portable is code in Go for one element.
type portable struct {
	double bool
	hard   string // the call for elements that are left to Go
	steps  []step
}

// step is a statement that sets the variable t with its number.
type step struct {
	text string
	uses []int
	kept bool // has an effect beside setting the variable
}

// term is an expression: a number or bits.
type term struct {
	text   string
	isBits bool
	uses   []int
}

func (p *portable) isDouble() bool { return p.double }

func (p *portable) size() int {
	if p.double {
		return 64
	}
	return 32
}

func (p *portable) number(v float64) value {
	if !p.double {
		v = float64(float32(v))
	}
	var text string
	switch {
	case v == 0 && math.Signbit(v):
		panic("gen: Go has no constant of negative zero")
	case math.IsInf(v, 0):
		text = fmt.Sprintf("float%d(math.Inf(%d))", p.size(), int(math.Copysign(1, v)))
	case v != v:
		text = fmt.Sprintf("float%d(math.NaN())", p.size())
	case v == math.Trunc(v) && math.Abs(v) < 1e6:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		text = strconv.FormatFloat(v, 'x', -1, 64)
	}
	return term{text: text}
}

func (p *portable) bits(v uint64) value { return term{text: fmt.Sprintf("%#x", v), isBits: true} }

// asNumber and asBits return the text of an operand.

func (p *portable) asNumber(v value) string {
	if t := v.(term); t.isBits {
		return fmt.Sprintf("math.Float%dfrombits(%s)", p.size(), t.text)
	}
	return v.(term).text
}

func (p *portable) asBits(v value) string {
	if t := v.(term); !t.isBits {
		return fmt.Sprintf("math.Float%dbits(%s)", p.size(), t.text)
	}
	return v.(term).text
}

// set adds a step, whose text has the place of its own variable marked by @.
func (p *portable) set(isBits bool, text string, operands ...value) term {
	name := fmt.Sprintf("t%d", len(p.steps))
	s := step{text: strings.ReplaceAll(text, "@", name)}
	for _, v := range operands {
		s.uses = append(s.uses, v.(term).uses...)
	}
	p.steps = append(p.steps, s)
	return term{text: name, isBits: isBits, uses: []int{len(p.steps) - 1}}
}

func (p *portable) arithmetic(format string, operands ...value) value {
	texts := []any{}
	for _, v := range operands {
		texts = append(texts, p.asNumber(v))
	}
	return p.set(false, "@ := "+fmt.Sprintf(format, texts...), operands...)
}

func (p *portable) logic(format string, operands ...value) value {
	texts := []any{}
	for _, v := range operands {
		texts = append(texts, p.asBits(v))
	}
	return p.set(true, "@ := "+fmt.Sprintf(format, texts...), operands...)
}

func (p *portable) add(x, y value) value      { return p.arithmetic("%s + %s", x, y) }
func (p *portable) subtract(x, y value) value { return p.arithmetic("%s - %s", x, y) }
func (p *portable) divide(x, y value) value   { return p.arithmetic("%s / %s", x, y) }

// multiply rounds by a conversion, which keeps the product from being fused with a sum.
func (p *portable) multiply(x, y value) value {
	return p.arithmetic(fmt.Sprintf("float%d(%%s * %%s)", p.size()), x, y)
}

func (p *portable) squareRoot(x value) value {
	if p.double {
		return p.arithmetic("math.Sqrt(%s)", x)
	}
	return p.arithmetic("float32(math.Sqrt(float64(%s)))", x)
}

func (p *portable) fused(x, y, z value) value {
	if p.double {
		return p.arithmetic("math.FMA(%s, %s, %s)", x, y, z)
	}
	return p.arithmetic("fused32(%s, %s, %s)", x, y, z)
}

func (p *portable) fusedNegative(x, y, z value) value {
	if strings.HasPrefix(p.asNumber(x), "-") {
		x, y = y, x
	}
	return p.fused(term{text: "-" + p.asNumber(x), uses: x.(term).uses}, y, z)
}

func (p *portable) polynomial(x value, coefficients ...float64) value {
	result := p.number(coefficients[0])
	for _, c := range coefficients[1:] {
		result = p.fused(result, x, p.number(c))
	}
	return result
}

func (p *portable) inStep(all ...polynomial) (results []value) {
	for _, one := range all {
		results = append(results, p.polynomial(one.x, one.coefficients...))
	}
	return results
}

func (p *portable) lesser(x, y value) value  { return p.choose(p.less(x, y), x, y) }
func (p *portable) greater(x, y value) value { return p.choose(p.less(y, x), x, y) }

func (p *portable) scale(y, k value) value { return scaleInSteps(p, y, k) }

func (p *portable) scaleDown(y, k, _ value) value {
	format := "math.Floor(%s)"
	if !p.double {
		format = "float32(math.Floor(float64(%s)))"
	}
	return p.scale(y, p.arithmetic(format, k))
}

func (p *portable) and(x, y value) value     { return p.logic("%s & %s", x, y) }
func (p *portable) or(x, y value) value      { return p.logic("%s | %s", x, y) }
func (p *portable) xor(x, y value) value     { return p.logic("%s ^ %s", x, y) }
func (p *portable) addBits(x, y value) value { return p.logic("%s + %s", x, y) }

func (p *portable) signed(y, x value) value { return signedInSteps(p, y, x) }

func (p *portable) shiftLeft(x value, by uint8) value {
	return p.logic(fmt.Sprintf("%%s << %d", by), x)
}

func (p *portable) shiftRight(x value, by uint8) value {
	return p.logic(fmt.Sprintf("%%s >> %d", by), x)
}

func (p *portable) less(x, y value) mask    { return p.arithmetic("%s < %s", x, y) }
func (p *portable) notLess(x, y value) mask { return p.arithmetic("!(%s < %s)", x, y) }
func (p *portable) equal(x, y value) mask   { return p.arithmetic("%s == %s", x, y) }

func (p *portable) lacks(x value, bits uint64) mask {
	return p.set(false, fmt.Sprintf("@ := %s&%#x == 0", p.asBits(x), bits), x)
}

func (p *portable) either(x, y mask) mask { return p.arithmetic("%s || %s", x, y) }

func (p *portable) choose(m mask, yes, no value) value {
	condition := m.(term)
	return p.set(false, fmt.Sprintf("var @ float%d = %s\n\tif %s {\n\t\t@ = %s\n\t}", p.size(), p.asNumber(no), condition.text, p.asNumber(yes)), m, yes, no)
}

func (p *portable) unless(m mask) {
	p.set(false, fmt.Sprintf("if %s {\n\t\treturn %s\n\t}", m.(term).text, p.hard), m)
	p.steps[len(p.steps)-1].kept = true
}

func (p *portable) inBlock() bool { return false }

func (p *portable) completes() bool { return false }

func (p *portable) leavesBeyond(value, float64) bool { return false }

func (p *portable) split(x value) (k, m value) { return splitPositive(p, x) }

func (p *portable) binade(x value) (k, m value) { return binadeInSteps(p, x) }

func (p *portable) lookUp(t table, index value) value {
	return p.set(false, fmt.Sprintf("@ := %s[%s&15]", t.name, p.asBits(index)), index)
}

func (p *portable) lookUpAll(index value, tables ...table) (results []value) {
	for _, t := range tables {
		results = append(results, p.lookUp(t, index))
	}
	return results
}

// text returns the table in Go.
func (t table) text() string {
	element := "float32"
	if t.double {
		element = "float64"
	}
	return fmt.Sprintf("\n// %s %s\nvar %[1]s = [...]%[3]s{%[4]s}\n", t.name, t.doc, element, t.list(""))
}

// list returns the entries, each with the suffix.
func (t table) list(suffix string) string {
	texts := []string{}
	for _, v := range t.entries {
		texts = append(texts, strconv.FormatFloat(v, 'x', -1, 64)+suffix)
	}
	return strings.Join(texts, ", ")
}

// needed returns the steps that result is made of.
func (p *portable) needed(result term) string {
	var body strings.Builder
	needed := make([]bool, len(p.steps))
	for _, i := range result.uses {
		needed[i] = true
	}
	for i := len(p.steps) - 1; i >= 0; i-- {
		if needed[i] = needed[i] || p.steps[i].kept; needed[i] {
			for _, j := range p.steps[i].uses {
				needed[j] = true
			}
		}
	}
	for i, s := range p.steps {
		if needed[i] {
			body.WriteString("\t" + s.text + "\n")
		}
	}
	return body.String()
}

// text returns the Go function.
func (f function) text() string {
	names, element := []string{"x"}, "float32"
	if f.body2 != nil {
		names = append(names, "y")
	}
	if f.double {
		element = "float64"
	}
	p := &portable{double: f.double || f.widened, hard: f.goName() + "Hard(" + strings.Join(names, ", ") + ")"}
	var body strings.Builder
	operands, wide := []value{}, []string{}
	for _, name := range names {
		operand := name
		if f.widened {
			operand = "wide" + strings.ToUpper(name)
			fmt.Fprintf(&body, "\t%s := float64(%s)\n", operand, name)
		}
		operands, wide = append(operands, term{text: operand}), append(wide, "float64("+name+")")
	}
	if !f.double {
		p.hard = "float32(" + f.goName() + "Hard(" + strings.Join(wide, ", ") + "))"
	}
	result := f.of(p, operands).(term)
	body.WriteString(p.needed(result))
	text := p.asNumber(result)
	if f.widened {
		text = "float32(" + text + ")"
	}
	return fmt.Sprintf("// %s returns %s.\nfunc %[1]s(%[3]s %[4]s) %[4]s {\n%[5]s\treturn %[6]s\n}\n",
		f.exportedName(), f.meaning(), strings.Join(names, ", "), element, body.String(), text)
}
