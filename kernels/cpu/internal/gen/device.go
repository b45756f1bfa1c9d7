package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// device is code in C++ for one element, for kernels of devices. It takes the steps of the other forms, and differs in no bit
// where it is compiled without fusing products and sums on its own.
type device struct {
	double bool
	hard   string // the call for elements that are left to other code; empty leaves none
	body   strings.Builder
	steps  int
}

// cTerm is an expression: a number, or bits.
type cTerm struct {
	text   string
	isBits bool
}

func (d *device) isDouble() bool { return d.double }

// types returns the types of numbers and of bits, and the suffix of functions for single precision.
func (d *device) types() (number, bits, suffix string) {
	if d.double {
		return "double", "uint64", ""
	}
	return "float", "uint32", "f"
}

func (d *device) number(v float64) value {
	number, _, suffix := d.types()
	if !d.double {
		v = float64(float32(v))
	}
	switch {
	case math.IsInf(v, 0):
		return cTerm{text: fmt.Sprintf("(%s)%s__builtin_inf()", number, map[bool]string{true: "-"}[v < 0])}
	case v != v:
		return cTerm{text: fmt.Sprintf("(%s)__builtin_nan(\"\")", number)}
	}
	return cTerm{text: strconv.FormatFloat(v, 'x', -1, 64) + suffix}
}

func (d *device) bits(v uint64) value {
	_, bits, _ := d.types()
	return cTerm{text: fmt.Sprintf("(%s)%#xULL", bits, v), isBits: true}
}

func (d *device) asNumber(v value) string {
	t := v.(cTerm)
	if !t.isBits {
		return t.text
	}
	if d.double {
		return "doubleOf(" + t.text + ")"
	}
	return "singleOf(" + t.text + ")"
}

func (d *device) asBits(v value) string {
	if t := v.(cTerm); t.isBits {
		return t.text
	}
	return "bitsOf(" + v.(cTerm).text + ")"
}

// set adds a step: a variable of the given type.
func (d *device) set(kind, format string, operands ...any) cTerm {
	name := fmt.Sprintf("t%d", d.steps)
	d.steps++
	fmt.Fprintf(&d.body, "  const %s %s = %s;\n", kind, name, fmt.Sprintf(format, operands...))
	return cTerm{text: name}
}

func (d *device) arithmetic(format string, operands ...value) value {
	number, _, _ := d.types()
	return d.set(number, format, d.numbers(operands)...)
}

func (d *device) compare(format string, operands ...value) mask {
	return d.set("bool", format, d.numbers(operands)...)
}

func (d *device) numbers(operands []value) (texts []any) {
	for _, v := range operands {
		texts = append(texts, d.asNumber(v))
	}
	return texts
}

func (d *device) logic(format string, operands ...value) value {
	_, bits, _ := d.types()
	texts := []any{}
	for _, v := range operands {
		texts = append(texts, d.asBits(v))
	}
	t := d.set(bits, format, texts...)
	t.isBits = true
	return t
}

func (d *device) add(x, y value) value      { return d.arithmetic("%s + %s", x, y) }
func (d *device) subtract(x, y value) value { return d.arithmetic("%s - %s", x, y) }
func (d *device) multiply(x, y value) value { return d.arithmetic("%s * %s", x, y) }
func (d *device) divide(x, y value) value   { return d.arithmetic("%s / %s", x, y) }

func (d *device) squareRoot(x value) value {
	_, _, suffix := d.types()
	return d.arithmetic("__builtin_sqrt"+suffix+"(%s)", x)
}

func (d *device) fused(x, y, z value) value {
	_, _, suffix := d.types()
	return d.arithmetic("__builtin_fma"+suffix+"(%s, %s, %s)", x, y, z)
}

func (d *device) fusedNegative(x, y, z value) value {
	_, _, suffix := d.types()
	return d.arithmetic("__builtin_fma"+suffix+"(-(%s), %s, %s)", x, y, z)
}

func (d *device) polynomial(x value, coefficients ...float64) value {
	result := d.number(coefficients[0])
	for _, c := range coefficients[1:] {
		result = d.fused(result, x, d.number(c))
	}
	return result
}

func (d *device) inStep(all ...polynomial) (results []value) {
	for _, one := range all {
		results = append(results, d.polynomial(one.x, one.coefficients...))
	}
	return results
}

func (d *device) lesser(x, y value) value  { return d.choose(d.less(x, y), x, y) }
func (d *device) greater(x, y value) value { return d.choose(d.less(y, x), x, y) }
func (d *device) scale(y, k value) value   { return scaleInSteps(d, y, k) }

func (d *device) scaleDown(y, k, _ value) value {
	_, _, suffix := d.types()
	return d.scale(y, d.arithmetic("__builtin_floor"+suffix+"(%s)", k))
}

func (d *device) and(x, y value) value     { return d.logic("%s & %s", x, y) }
func (d *device) or(x, y value) value      { return d.logic("%s | %s", x, y) }
func (d *device) xor(x, y value) value     { return d.logic("%s ^ %s", x, y) }
func (d *device) addBits(x, y value) value { return d.logic("%s + %s", x, y) }

func (d *device) signed(y, x value) value { return signedInSteps(d, y, x) }

func (d *device) shiftLeft(x value, by uint8) value {
	return d.logic(fmt.Sprintf("%%s << %d", by), x)
}

func (d *device) shiftRight(x value, by uint8) value {
	return d.logic(fmt.Sprintf("%%s >> %d", by), x)
}

func (d *device) less(x, y value) mask    { return d.compare("%s < %s", x, y) }
func (d *device) notLess(x, y value) mask { return d.compare("!(%s < %s)", x, y) }
func (d *device) equal(x, y value) mask   { return d.compare("%s == %s", x, y) }

func (d *device) lacks(x value, bits uint64) mask {
	return d.set("bool", "(%s & %#xULL) == 0", d.asBits(x), bits)
}

func (d *device) either(x, y mask) mask {
	return d.set("bool", "%s || %s", x.(cTerm).text, y.(cTerm).text)
}

func (d *device) choose(m mask, yes, no value) value {
	number, _, _ := d.types()
	return d.set(number, "%s ? %s : %s", m.(cTerm).text, d.asNumber(yes), d.asNumber(no))
}

func (d *device) unless(m mask) {
	if d.hard != "" {
		fmt.Fprintf(&d.body, "  if (%s) return %s;\n", m.(cTerm).text, d.hard)
	}
}

func (d *device) inBlock() bool { return false }

func (d *device) completes() bool { return false }

func (d *device) leavesBeyond(value, float64) bool { return false }

func (d *device) split(x value) (k, m value) { return splitPositive(d, x) }

func (d *device) binade(x value) (k, m value) { return binadeInSteps(d, x) }

func (d *device) lookUp(t table, index value) value {
	number, _, _ := d.types()
	return d.set(number, "%s(%s)", t.name, d.asBits(index))
}

func (d *device) lookUpAll(index value, tables ...table) (results []value) {
	for _, t := range tables {
		results = append(results, d.lookUp(t, index))
	}
	return results
}

// deviceText returns the table as a function in C++.
func (t table) deviceText() string {
	number, bits, suffix := (&device{double: t.double}).types()
	return fmt.Sprintf("\nDEVICE %s %s(%s index) {\n  const %[1]s entries[] = {%[4]s};\n  return entries[index & 15];\n}\n", number, t.name, bits, t.list(suffix))
}

// deviceFunction returns the function in C++; that without hard elements has the suffix steps.
func (f function) deviceFunction(steps bool) string {
	names, element := []string{"x"}, "float"
	if f.body2 != nil {
		names = append(names, "y")
	}
	if f.double {
		element = "double"
	}
	d := &device{double: f.double || f.widened}
	parameters, operands, wide := []string{}, []value{}, []string{}
	for _, name := range names {
		parameters, wide = append(parameters, element+" "+name), append(wide, "(double)"+name)
		operand := name
		if f.widened {
			operand = "wide_" + name
			fmt.Fprintf(&d.body, "  const double %s = %s;\n", operand, name)
		}
		operands = append(operands, cTerm{text: operand})
	}
	suffix := "_"
	if steps {
		suffix = "_steps"
	} else {
		d.hard = fmt.Sprintf("(%s)%s_hard(%s)", element, f.operator, strings.Join(wide, ", "))
	}
	result := d.asNumber(f.of(d, operands))
	return fmt.Sprintf("\nDEVICE %s %s%s(%s) {\n%s  return (%[1]s)(%[6]s);\n}\n", element, f.operator, suffix, strings.Join(parameters, ", "), d.body.String(), result)
}

// withSteps are the functions that those for hard elements use.
var withSteps = map[string]bool{"log": true, "log2": true, "log10": true, "cbrt": true, "pow": true, "atan2": true}

// deviceFiles returns the functions for devices, and the kernels that compute them, by path.
func deviceFiles() map[string][]byte {
	const note = "// Code generated by kernels/cpu/internal/gen. DO NOT EDIT.\n\n"
	var text, kernels, narrow strings.Builder
	text.WriteString(note + "#pragma once\n#include \"weft.h\"\n#include \"hard.h\"\n\n#undef HEAVY\n#define HEAVY true\n")
	kernels.WriteString(note + "#include \"functions.h\"\n\n")
	narrow.WriteString(note + "#include \"functions.h\"\n\n")
	for _, s := range subjects {
		for _, t := range s.tables {
			text.WriteString(t.deviceText())
		}
		for _, f := range s.functions {
			if f.apart {
				continue
			}
			if f.double && withSteps[f.operator] {
				text.WriteString(f.deviceFunction(true))
			}
			text.WriteString(f.deviceFunction(false))
			macro := "SAME1"
			if f.body2 != nil {
				macro = "SAME2"
			}
			switch {
			case f.operator == "nextafter": // is no function of wider elements
				fmt.Fprintf(&kernels, "%s(nextafter, %s)\n", macro, map[bool]string{true: "float64", false: "float32"}[f.double])
			case f.double:
				fmt.Fprintf(&kernels, "WIDE_FLOATS(%s, %s)\n", macro, f.operator)
				fmt.Fprintf(&narrow, "NARROW_FLOATS(%s, %s)\n", macro, f.operator)
			}
		}
	}
	for _, f := range angleFunctions {
		d := &device{double: true}
		result := d.asNumber(f.body(d, angle{cTerm{text: "r"}, cTerm{text: "rest"}, cTerm{text: "quadrant", isBits: true}}))
		fmt.Fprintf(&text, "\nDEVICE double %s_of_angle(double r, double rest, uint64 quadrant) {\n%s  return %s;\n}\n", f.name, d.body.String(), result)
	}
	const folder = "../../../cuda/internal/ptx/"
	return map[string][]byte{
		folder + "functions.h": []byte(text.String()), folder + "functions.cu": []byte(kernels.String()), folder + "narrow_functions.cu": []byte(narrow.String()),
	}
}
